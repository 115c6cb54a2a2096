/** The part of jest's types that jest.ts uses. Jest is not a dependency of this package: it gives the module to the tests that it runs. */
declare module '@jest/globals' {
  type Declare = (name: string, run: () => Promise<void>, timeout?: number) => void;
  export const test: Declare & {
    readonly concurrent: Declare;
    readonly failing: Declare;
    readonly only: Declare;
    readonly skip: Declare;
    readonly todo: (name: string) => void;
  };
  export const afterAll: (run: () => Promise<void>) => void;
}
