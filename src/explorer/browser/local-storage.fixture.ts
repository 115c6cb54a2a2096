import { beforeEach } from 'bun:test';

/** Gives each test of a file an empty browser storage, and returns what is in it. */
export function useLocalStorage(): Map<string, string> {
  const items = new Map<string, string>();
  beforeEach(() => {
    items.clear();
    globalThis.localStorage = {
      getItem: (name: string) => items.get(name) ?? null,
      setItem: (name: string, text: string) => void items.set(name, text),
    } as unknown as Storage;
  });
  return items;
}
