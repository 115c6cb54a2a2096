/** The part of vitest's types that vitest.ts uses. Vitest is not a dependency of this package: users have their own version. */
declare module 'vitest' {
  export type TestAPI<Context> = {
    (name: string, run: (context: Context) => unknown, timeout?: number): void;
    extend: <Added extends object>(fixtures: object) => TestAPI<Context & Added>;
  };
  export const test: TestAPI<object>;
}
