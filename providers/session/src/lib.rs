//! Transactional edits of a directory tree: begin freezes a base, stage adds a checked patch, test proves the result,
//! apply writes it back.
