/**
 * What the documents say about a method beside its types: a call to a newly started node and its result or error; `…` replaces values that
 * differ between nodes. It is apart from the rows, because the browser's client loads those.
 */
export type MethodDoc = {
  readonly summary: string;
  /** The version of AvalancheGo that deprecated it. */
  readonly deprecated?: string;
  readonly params?: unknown;
} & ({ readonly result: string } | { readonly error: string });

/** The documentation of each method of a table; a method without one is a compile error. */
export type DocsOf<Rows> = { readonly [method in keyof Rows]: MethodDoc };
