/** A call to a newly started node and its result or error; `…` replaces values that differ between nodes. */
export type MethodExample = { readonly params?: unknown } & ({ readonly result: string } | { readonly error: string });

/** An example for each method of a table; a method without an example is a compile error. */
export type ExamplesOf<Rows> = { readonly [method in keyof Rows]: MethodExample };
