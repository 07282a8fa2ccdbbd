//! What every type has that is one text: ids, versions, times.

/// Shows a type with `as_str` as its text.
macro_rules! shown_as_text {
    ($type:ty) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }
    };
}

/// Makes a type with `new` from texts, through its check.
macro_rules! made_from_text {
    ($type:ty, $error:ty) => {
        impl std::str::FromStr for $type {
            type Err = $error;

            fn from_str(text: &str) -> Result<Self, $error> {
                Self::new(text.to_owned())
            }
        }

        impl TryFrom<&str> for $type {
            type Error = $error;

            fn try_from(text: &str) -> Result<Self, $error> {
                Self::new(text.to_owned())
            }
        }

        impl TryFrom<String> for $type {
            type Error = $error;

            fn try_from(text: String) -> Result<Self, $error> {
                Self::new(text)
            }
        }
    };
}

/// Reads a type with `new` through its check.
macro_rules! read_as_text {
    ($type:ty) => {
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::new(text).map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use {made_from_text, read_as_text, shown_as_text};
