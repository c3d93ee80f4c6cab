// Node's modules when they are needed. An import by name builds a facade of everything the module exports: that
// of `node:fs` loads the streams, too. What every command starts with therefore asks for them here.
export const fs = () => process.getBuiltinModule("node:fs");
export const os = () => process.getBuiltinModule("node:os");
export const path = () => process.getBuiltinModule("node:path");
export const childProcess = () => process.getBuiltinModule("node:child_process");
