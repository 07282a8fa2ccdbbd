import sys

# The folder of the project must not hide the modules that are needed here.
del sys.path[0]
import importlib.util
import json
import os

path, symbol = os.path.abspath(sys.argv[1]), sys.argv[2]
# What the reference prints is no part of the answer.
answer = os.fdopen(os.dup(1), "w", encoding="ascii")
os.dup2(2, 1)
if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)
arguments = json.loads(sys.stdin.buffer.read())
sys.argv = [path]
sys.path.insert(0, os.path.dirname(path))
spec = importlib.util.spec_from_file_location("reference", path)
module = importlib.util.module_from_spec(spec)
sys.modules["reference"] = module
spec.loader.exec_module(module)
result = getattr(module, symbol)(*arguments)
answer.write(json.dumps(result, allow_nan=False))
answer.close()
