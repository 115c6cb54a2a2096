import type { PageContext } from '../load/page-context.ts';

/** Sections of the navigation. A section whose source this server lacks is left out. */
export type Section =
  | 'home'
  | 'address'
  | 'blocks'
  | 'mempool'
  | 'assets'
  | 'cross-chain'
  | 'throughput'
  | 'node'
  | 'watch'
  | 'webhooks'
  | 'dev';

type SectionRow = {
  readonly name: Section;
  readonly word: string;
  readonly path: string;
  /** The key that goes there, after `G`. */
  readonly key: string;
  readonly isAvailable: (context: PageContext) => boolean;
  /** What a server without this section lacks. */
  readonly needs?: string;
  /** Whether the section has pages but no item in the navigation: there is no list to go to. */
  readonly isPageOnly?: true;
};

const always = (): boolean => true;

export const sections: readonly SectionRow[] = [
  { name: 'home', word: 'Home', path: '/', key: 'h', isAvailable: always },
  { name: 'blocks', word: 'Blocks', path: '/blocks', key: 'b', isAvailable: always },
  {
    name: 'mempool',
    word: 'Mempool',
    path: '/mempool',
    key: 'm',
    isAvailable: ({ operations }) => operations.includes('listMempool'),
    needs: 'it does not issue transactions itself, so it has no mempool',
  },
  { name: 'address', word: 'Address', path: '', key: '', isAvailable: always, isPageOnly: true },
  { name: 'assets', word: 'Assets', path: '/assets', key: 'a', isAvailable: always },
  { name: 'cross-chain', word: 'Cross-chain', path: '/cross-chain', key: 'c', isAvailable: always },
  { name: 'throughput', word: 'Throughput', path: '/throughput', key: 't', isAvailable: always },
  {
    name: 'node',
    word: 'Node',
    path: '/node',
    key: 'n',
    isAvailable: ({ has }) => has.info || has.health,
    needs: 'it serves an index and is not a node',
  },
  { name: 'watch', word: 'Watch', path: '/watch', key: 'v', isAvailable: always },
  {
    name: 'webhooks',
    word: 'Webhooks',
    path: '/webhooks',
    key: 'w',
    isAvailable: ({ operations }) => operations.includes('listWebhooks'),
    needs: 'its operator has not allowed anybody to manage webhooks; see --dev-token',
  },
  {
    name: 'dev',
    word: 'Dev',
    path: '/dev',
    key: 'd',
    isAvailable: ({ has }) => has.dev,
    needs: 'the methods of dev.* are only on a chain of your own',
  },
];
