//! The binary and the compact protocol, on the `thrift` crate's protocols, and the reader that decides.
