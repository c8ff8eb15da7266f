"""Reference programs that can be run but not read: installing, serving and watching them."""
