//! The work that is run in both languages.
//!
//! The list functions of Soil's prelude are written in Soil. So the peer is the same program in Python: the same loops over the
//! same lists, which call the same function as often. What a Python program would do by `filter`, `map`, `reduce` and `sorted`,
//! whose loops are C of `CPython` and call no more than the function itself, stands beside it, and nothing is asked of that.

/// A function in both languages, with the number that it gives.
pub(super) struct Work {
    pub(super) name: &'static str,
    /// A definition `f` of one number, which is 0.
    pub(super) soil: &'static str,
    /// The same program: lines that leave the result in `s`.
    pub(super) python: &'static str,
    /// Lines that do the same by functions of `CPython` that are written in C, where there are any.
    pub(super) native: Option<&'static str>,
    pub(super) result: i64,
}

/// The list functions of the prelude, as they are written in Soil.
pub(super) const PRELUDE: &str = "\
def list_fold(f, start, xs):
    count = len(xs)
    left, result = count, start
    while left > 0:
        result = f(result, xs[count - left])
        left -= 1
    return result
def list_filter(keep, xs):
    count = len(xs)
    left, out = count, []
    while left > 0:
        x = xs[count - left]
        if keep(x):
            out.append(x)
        left -= 1
    return out
def list_map(f, xs):
    count = len(xs)
    left, out = count, []
    while left > 0:
        out.append(f(xs[count - left]))
        left -= 1
    return out
def list_sort_by(compare, xs):
    def merge(left, right, rest):
        i, j, out = 0, 0, []
        while rest > 0:
            x, y = left[i], right[j]
            if compare(x, y) <= 0:
                out.append(x)
                if i + 1 == len(left):
                    return out + right[j:]
                i += 1
            else:
                out.append(y)
                if j + 1 == len(right):
                    return out + left[i:]
                j += 1
            rest -= 1
        return out
    def sort(start, count):
        if count <= 1:
            return [xs[start]]
        if count == 2:
            x, y = xs[start], xs[start + 1]
            return [x, y] if compare(x, y) <= 0 else [y, x]
        half = count // 2
        left, right = sort(start, half), sort(start + half, count - half)
        return merge(left, right, count)
    return sort(0, len(xs)) if len(xs) > 1 else xs
";

pub(super) const WORK: &[Work] = &[
    Work {
        name: "a loop of 200,000 sums",
        soil: "f : (n : I64) -> div panic I64\nf n = let rec go = fun i sum -> if i == 200000 then sum else go (i + 1) (sum + i % 7) in go 0 n\n",
        python: "i, s = 0, 0\nwhile i != 200000:\n    s += i % 7\n    i += 1\n",
        native: None,
        result: 599_994,
    },
    Work {
        name: "a list of 100,000 elements, appended and read",
        soil: "f : (n : I64) -> div panic I64\nf n = let rec fill = fun i xs -> if i == 100000 then xs else fill (i + 1) (list_append xs i) in let xs = fill 0 list_empty in let rec go = fun i sum -> if i == 100000 then sum else go (i + 1) (sum + list_nth xs i) in go 0 n\n",
        python: "xs = []\ni = 0\nwhile i != 100000:\n    xs.append(i)\n    i += 1\ni, s = 0, 0\nwhile i != 100000:\n    s += xs[i]\n    i += 1\n",
        native: None,
        result: 4_999_950_000,
    },
    Work {
        name: "a map of 20,000 keys, inserted",
        soil: "f : (n : I64) -> div panic I64\nf n = let rec fill = fun i m -> if i == 20000 then map_len m else fill (i + 1) (map_insert m (i * 7919 % 20011) i) in fill n map_empty\n",
        python: "m = {}\ni = 0\nwhile i != 20000:\n    m[i * 7919 % 20011] = i\n    i += 1\ns = len(m)\n",
        native: None,
        result: 20_000,
    },
    Work {
        name: "a map of 20,000 keys, looked up 100,000 times",
        soil: "f : (n : I64) -> div panic I64\nf n = let rec fill = fun i m -> if i == 20000 then m else fill (i + 1) (map_insert m i i) in let m = fill n map_empty in let rec go = fun i sum -> if i == 100000 then sum else match map_get m (i * 7919 % 20011) with | None -> go (i + 1) sum | Some v -> go (i + 1) (sum + v) in go 0 0\n",
        python: "m = {}\ni = 0\nwhile i != 20000:\n    m[i] = i\n    i += 1\ni, s = 0, 0\nwhile i != 100000:\n    v = m.get(i * 7919 % 20011)\n    if v is not None:\n        s += v\n    i += 1\n",
        native: None,
        result: 999_418_264,
    },
    Work {
        name: "a map of 2,000 values, folded 50 times",
        soil: "f : (n : I64) -> div panic I64\nf n = let rec fill = fun i m -> if i == 2000 then m else fill (i + 1) (map_insert m i i) in let m = fill n map_empty in let rec go = fun i sum -> if i == 50 then sum else go (i + 1) (list_fold (fun s v -> s + v) sum (map_values m)) in go 0 0\n",
        python: "m = {}\ni = 0\nwhile i != 2000:\n    m[i] = i\n    i += 1\ni, s = 0, 0\nwhile i != 50:\n    s = list_fold(lambda a, b: a + b, s, list(m.values()))\n    i += 1\n",
        native: Some(
            "m = {}\ni = 0\nwhile i != 2000:\n    m[i] = i\n    i += 1\ni, s = 0, 0\nwhile i != 50:\n    s = reduce(lambda a, b: a + b, m.values(), s)\n    i += 1\n",
        ),
        result: 99_950_000,
    },
    Work {
        name: "words counted in a map by a fold of 20,000",
        soil: "f : (n : I64) -> div panic I64\nf n = let rec fill = fun i xs -> if i == 20000 then xs else fill (i + 1) (list_append xs (I64::show (i * 7919 % 2011))) in let xs = fill 0 list_empty in map_len (list_fold (fun m x -> match map_get m x with | None -> map_insert m x 1 | Some c -> map_insert m x (c + 1)) map_empty xs)\n",
        python: "def count(m, x):\n    c = m.get(x)\n    if c is None:\n        m[x] = 1\n    else:\n        m[x] = c + 1\n    return m\nxs = []\ni = 0\nwhile i != 20000:\n    xs.append(str(i * 7919 % 2011))\n    i += 1\ns = len(list_fold(count, {}, xs))\n",
        native: Some(
            "def count(m, x):\n    c = m.get(x)\n    if c is None:\n        m[x] = 1\n    else:\n        m[x] = c + 1\n    return m\nxs = []\ni = 0\nwhile i != 20000:\n    xs.append(str(i * 7919 % 2011))\n    i += 1\ns = len(reduce(count, xs, {}))\n",
        ),
        result: 2_011,
    },
    Work {
        name: "5,000 numbers joined, split, trimmed and read",
        soil: "f : (n : I64) -> div panic I64\nf n = let rec build = fun i xs -> if i == 5000 then xs else build (i + 1) (list_append xs (I64::show i)) in let line = utf8_join \", \" (build n list_empty) in let parts = utf8_split \",\" line in list_fold (fun sum part -> match utf8_parse_i64 (utf8_trim part) with | None -> sum | Some v -> sum + v) 0 parts\n",
        python: "xs = []\ni = 0\nwhile i != 5000:\n    xs.append(str(i))\n    i += 1\nline = ', '.join(xs)\ns = 0\nfor part in line.split(','):\n    s += int(part.strip())\n",
        native: None,
        result: 12_497_500,
    },
    Work {
        name: "100,000 variants with fields, made and matched",
        soil: "f : (n : I64) -> div panic I64\nf n = let rec go = fun i r -> if i == 100000 then match r with | NotFound { path } -> utf8_len path | ReadFailed { path, message } -> utf8_len message | NotUtf8 { path } -> 0 else match r with | NotFound { path } -> go (i + 1) (ReadFailed { path = path, message = path }) | ReadFailed { path, message } -> go (i + 1) (NotFound { path = message }) | NotUtf8 { path } -> 0 in go n (NotFound { path = \"abc\" })\n",
        python: "class NotFound:\n    __slots__ = __match_args__ = ('path',)\n    def __init__(self, path):\n        self.path = path\nclass ReadFailed:\n    __slots__ = __match_args__ = ('path', 'message')\n    def __init__(self, path, message):\n        self.path = path\n        self.message = message\nr = NotFound('abc')\ni = 0\nwhile i != 100000:\n    match r:\n        case NotFound(path):\n            r = ReadFailed(path, path)\n        case ReadFailed(path, message):\n            r = NotFound(message)\n    i += 1\ns = len(r.path)\n",
        native: None,
        result: 3,
    },
    Work {
        name: "100,000 options, made by a lambda and matched",
        soil: "f : (n : I64) -> div panic I64\nf n = let half = fun x -> if x % 2 == 0 then Some (x / 2) else None in let rec go = fun i sum -> if i == 100000 then sum else match half i with | None -> go (i + 1) sum | Some h -> go (i + 1) (sum + h) in go 0 n\n",
        python: "class Some:\n    __slots__ = __match_args__ = ('value',)\n    def __init__(self, value):\n        self.value = value\nhalf = lambda x: Some(x // 2) if x % 2 == 0 else None\ni, s = 0, 0\nwhile i != 100000:\n    match half(i):\n        case None:\n            pass\n        case Some(h):\n            s += h\n    i += 1\n",
        native: None,
        result: 1_249_975_000,
    },
    Work {
        name: "28,656 calls of a recursive function",
        soil: "f : (n : I64) -> div panic I64\nf n = let rec fib = fun k -> if k < 2 then k else fib (k - 1) + fib (k - 2) in fib 22\n",
        python: "def fib(k):\n    return k if k < 2 else fib(k - 1) + fib(k - 2)\ns = fib(22)\n",
        native: None,
        result: 17_711,
    },
    Work {
        name: "50,000 numbers, filtered, mapped and folded",
        soil: "f : (n : I64) -> div panic I64\nf n = let rec fill = fun i xs -> if i == 50000 then xs else fill (i + 1) (list_append xs i) in let xs = fill 0 list_empty in list_fold (fun s x -> s + x) n (list_map (fun x -> x * 2) (list_filter (fun x -> x % 2 == 0) xs))\n",
        python: "xs = []\ni = 0\nwhile i != 50000:\n    xs.append(i)\n    i += 1\ns = list_fold(lambda s, x: s + x, 0, list_map(lambda x: x * 2, list_filter(lambda x: x % 2 == 0, xs)))\n",
        native: Some(
            "xs = []\ni = 0\nwhile i != 50000:\n    xs.append(i)\n    i += 1\ns = reduce(lambda s, x: s + x, list(map(lambda x: x * 2, list(filter(lambda x: x % 2 == 0, xs)))), 0)\n",
        ),
        result: 1_249_950_000,
    },
    Work {
        name: "2,000 numbers, sorted by a function",
        soil: "f : (n : I64) -> div panic I64\nf n = let rec fill = fun i xs -> if i == 2000 then xs else fill (i + 1) (list_append xs (i * 7919 % 20011)) in let xs = list_sort_by (fun a b -> I64::compare a b) (fill n list_empty) in list_nth xs 1000\n",
        python: "xs = []\ni = 0\nwhile i != 2000:\n    xs.append(i * 7919 % 20011)\n    i += 1\nxs = list_sort_by(lambda a, b: (a > b) - (a < b), xs)\ns = xs[1000]\n",
        native: Some(
            "xs = []\ni = 0\nwhile i != 2000:\n    xs.append(i * 7919 % 20011)\n    i += 1\nxs = sorted(xs, key=cmp_to_key(lambda a, b: (a > b) - (a < b)))\ns = xs[1000]\n",
        ),
        result: 10_016,
    },
];
