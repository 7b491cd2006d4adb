/** Where commands log: standard output is for their result. */
export const stderrLog = {
  log: (message: string): void => void process.stderr.write(`${message}\n`),
  warn: (message: string): void => void process.stderr.write(`${message}\n`),
  error: (message: string): void => void process.stderr.write(`${message}\n`),
};
