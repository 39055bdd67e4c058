//! GitHub: a small REST client, and the state machine of the sticky comment.
