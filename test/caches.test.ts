import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { allShares, cacheTable } from '../src/base/cache/cache-table.ts';

/** Holds the table of caches in ARCHITECTURE.md against `cacheTable`, and `cacheTable` against the code. */

const root = resolve(import.meta.dir, '..');
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.(test|fixture)\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, 'src', file), 'utf8') }));
const filesWith = (pattern: RegExp): string[] => files.flatMap(({ file, text }) => (pattern.test(text) ? [file] : [])).sort();

const lives = { never: 'never', commit: 'at the next commit', revert: 'at a revert' };
const percent = (share: number): string => `${((100 * share) / allShares).toFixed(1)} %`;

test('ARCHITECTURE.md lists all caches: what they hold, their share of --cache-bytes, when their entries die', () => {
  const expected = Object.entries(cacheTable).map(
    ([name, { holds, share, dies }]) => `| \`${name}\` | ${holds} | ${percent(share)} | ${lives[dies]} |`,
  );
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const [, section = ''] = page.split('| cache | holds | share | dies |\n|---|---|---|---|\n');
  expect(section.split('\n\n')[0]?.split('\n')).toEqual(expected);
});

test('every cache of the table is created somewhere, by its name', () => {
  const created = new Set(
    files.flatMap(({ text }) =>
      [...text.matchAll(/(?:createCache(?:<[^(]*>)?|cacheFunction|bytesOf)\(\s*'(\w+)'/g)].map(([, name = '']) => name),
    ),
  );
  expect([...created].sort()).toEqual(Object.keys(cacheTable).sort());
});

test('nothing is cached in another way', () => {
  expect(filesWith(/[cC]ache\w*(?::[^=\n]+)? = new (?:Map|Set)\b/)).toEqual([]);
  // What clients, peers and transactions make this node remember has limits of its own: it cannot be made again.
  expect(filesWith(/keys\(\)\.next\(\)/)).toEqual(ownLimits.firstKey);
  expect(filesWith(/createLruMap</)).toEqual(ownLimits.lruMap);
  // Made once for each chain, route or SQL text: these do not grow.
  expect(filesWith(/\bmemoize\((?!\))/)).toEqual(ownLimits.fixedKeys);
});

test('nothing that is made for every transaction is a key of a WeakMap: every garbage collection would visit it', () => {
  expect(filesWith(/new Weak(?:Map|Set)\b/)).toEqual(ownLimits.weakKeys);
});

/** Files that hold something by a key without being a cache. */
const ownLimits = {
  firstKey: [
    'chain/follow/address-task.ts',
    'chain/lifecycle/refusals.ts',
    'network/consensus/queue-limit.ts',
    'network/outer-chain/undecided-outer-blocks.ts',
    'network/validators/trusted-validators.ts',
  ],
  lruMap: [
    'api/access/limiter-memory.ts',
    'base/cache/lru-map.ts',
    'network/consensus/unissued-blocks.ts',
    'network/gossip/received-queue.ts',
    'network/gossip/tx-gossip.ts',
    'network/validators/trusted-validators.ts',
  ],
  fixedKeys: [
    'api/data/deps.ts',
    'api/data/piece-cache.ts',
    'api/explorer-routes/deps.ts',
    'api/rest/request-reader.ts',
    'app/node/api-metrics.ts',
    'app/platform/bun/postgres.ts',
    'app/servers/api.ts',
    'cluster/hosts/shard-map.ts',
    'cluster/hosts/shard-routing.ts',
    'cluster/postgres/statement-joiner.ts',
    'ledger/index-read/output-sources.ts',
    'ledger/index-read/read-buckets.ts',
    'ledger/index/batched-statement.ts',
    'ledger/index/key-lookup.ts',
    'ledger/store/statement-cache.ts',
  ],
  /** By block, peer, asset, header set, parsed request or answer, and what a developer's chain or a followed node needs. */
  weakKeys: [
    'api/access/gate.ts',
    'api/data/render-asset.ts',
    'api/data/render-context.ts',
    'api/http/router.ts',
    'api/rest/dispatch.ts',
    'api/rest/route-runner.ts',
    'api/rpc/rpc-response.ts',
    'app/platform/bun/serve.ts',
    'chain/follow/signer-prefetch.ts',
    'chain/lifecycle/impersonation.ts',
    'chain/lifecycle/undecided-blocks.ts',
    'network/outer-chain/block-contents.ts',
    'network/peers/address-book.ts',
    'network/proposervm/proposer.ts',
  ],
};
