/** How a command works: it serves until it is stopped, works on a data directory or database, asks a running node, or only prints. */
export type CommandKind = 'server' | 'storage' | 'client' | 'local';

/** A row of a table of commands. */
export type CommandDefinition = {
  readonly kind: CommandKind;
  /** The positional arguments, in this order; those in brackets are optional, `a|b` lists the allowed words. */
  readonly args: readonly string[];
  readonly help: string;
  /** Command lines that show how it is used, without the leading `serac`. */
  readonly examples: readonly string[];
};
