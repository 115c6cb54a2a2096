import type { PageContext } from './page-context.ts';

/** Sections of the navigation. A section whose source this server lacks is left out. */
export type Section = 'home' | 'blocks' | 'assets' | 'throughput' | 'node' | 'dev';

export const sections: readonly {
  readonly name: Section;
  readonly word: string;
  readonly path: string;
  readonly key: string;
  readonly isAvailable: (context: PageContext) => boolean;
}[] = [
  { name: 'home', word: 'Home', path: '/', key: 'h', isAvailable: () => true },
  { name: 'blocks', word: 'Blocks', path: '/blocks', key: 'b', isAvailable: () => true },
  { name: 'throughput', word: 'Throughput', path: '/throughput', key: 't', isAvailable: ({ has }) => has.metrics },
  { name: 'node', word: 'Node', path: '/node', key: 'n', isAvailable: ({ has }) => has.info || has.health },
  { name: 'dev', word: 'Dev', path: '/dev', key: 'd', isAvailable: ({ has }) => has.dev },
];
