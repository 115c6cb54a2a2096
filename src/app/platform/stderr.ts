/** Writes a line to stderr. */
export const writeError = (line: string): void => void process.stderr.write(`${line}\n`);
