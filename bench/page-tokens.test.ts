import { expect, test } from 'bun:test';
import { createPageSeal } from '../src/api/page-token.ts';
import { pageTurner } from './page-tokens.ts';

const secret = new Uint8Array(32).fill(7);
const cursor = { height: 12, after: 34 };
const blocks = '/v1/networks/local/blockchains/x-chain/blocks';
const query = 'listLatestPrimaryNetworkBlocks\nnetwork=["local"]\nblockchainId=["x-chain"]';

test('a call is turned to a page by a token of its own query', () => {
  const { path } = pageTurner(secret)({ path: `${blocks}?pageSize=5` }, cursor);
  expect(path).toStartWith(`${blocks}?pageSize=5&pageToken=`);
  const opened = createPageSeal(secret, () => 0).open(path.slice(path.lastIndexOf('=') + 1), query, Math.floor(Date.now() / 1000));
  expect(opened).toMatchObject({ cursor });
});

test('a path that leads nowhere is told', () => {
  expect(() => pageTurner(secret)({ path: '/v1/nowhere' }, cursor)).toThrow('no route for /v1/nowhere');
});
