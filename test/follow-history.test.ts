import { describe, expect, test } from 'bun:test';
import { parseBlock } from '../src/avm/tx/block.ts';
import { makeTx } from '../src/avm/tx/tx.ts';
import { type Id, zeroId } from '../src/base/bytes/id.ts';
import type { FollowError } from '../src/chain/follow/fault.ts';
import { type FollowedState, findProblems, openFollowedState } from './followed-chain.ts';
import { beginAfter, follow } from './scripted-follower.ts';
import { openSourceChain } from './source-chain.ts';
import { baseTx, ewoq, signDraft } from './wallet-kit.ts';

describe('a chain with pre-linearization history', () => {
  const linesOf = (balances: ReturnType<FollowedState['state']['balances']>): string[] =>
    balances.map(({ assetID, part, amount, count, nfts }) => `${assetID} ${part}: ${amount}/${count}/${nfts}`).sort();

  test('inputs and assets are fetched by their transactions; addresses are backfilled on first use', async () => {
    const source = openSourceChain(11);
    source.grow(80);
    const chain = follow(source, { state: openFollowedState(undefined, 'unknown'), hasPreLinearizationHistory: true });
    beginAfter(chain, source, 40n);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    expect(chain.state.height()).toBe(40n);
    const addresses = [...new Set([...source.model.utxos.values()].flatMap(({ output }) => output.addresses))];
    const differing = () =>
      addresses.filter((one) => linesOf(chain.state.balances(one, 0n)).join() !== linesOf(source.local.state.balances(one, 0n)).join());
    expect(differing().length).toBeGreaterThan(0);
    const listings = () => chain.node.requests.filter(({ method }) => method === 'avm.getUTXOs').length;
    await Promise.all([follower.backfills.outputs?.(addresses), follower.backfills.outputs?.(addresses.slice(1))]);
    expect(differing()).toEqual([]);
    expect(listings()).toBe(addresses.length);
    await follower.backfills.outputs?.(addresses);
    expect(listings()).toBe(addresses.length);
    source.grow(10);
    beginAfter(chain, source, 40n);
    await chain.until(() => chain.state.height() === 50n);
    expect(differing()).toEqual([]);
    expect(findProblems(chain)).toEqual([]);
    expect(chain.reported).toEqual([]);
    await follower.stop();
  });

  test('an address cannot be backfilled while the node does not respond or blocks are missing', async () => {
    const source = openSourceChain(12);
    source.grow(30);
    const chain = follow(source, { state: openFollowedState(undefined, 'unknown'), hasPreLinearizationHistory: true });
    beginAfter(chain, source, 20n);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    const outcomes: string[] = [];
    const backfill = () =>
      void follower.backfills.outputs?.([ewoq.address]).then(
        () => outcomes.push('done'),
        (error: FollowError) => outcomes.push(error.fault.code),
      );
    chain.node.behavior = () => 'unreachable';
    backfill();
    await chain.until(() => outcomes.length === 1);
    chain.node.behavior = ({ method }) => (method === 'avm.getBlockByHeight' ? 'html' : 'normal');
    source.grow(1);
    beginAfter(chain, source, 20n);
    backfill();
    await chain.until(() => outcomes.length === 2);
    chain.node.behavior = () => 'normal';
    backfill();
    await chain.until(() => outcomes.length === 3);
    expect(outcomes).toEqual(['FOLLOW_SILENT', 'FOLLOW_BEHIND', 'done']);
    await follower.stop();
  });
});

describe('the status of a transaction that is not stored', () => {
  const outcomeOf = (request: Promise<unknown>) => request.then(String, (error) => error.fault.code);

  test('is Processing if the node has accepted it, else the status on the node', async () => {
    const source = openSourceChain(14);
    source.grow(10);
    const chain = follow(source);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    chain.node.behavior = ({ method }) => (method === 'avm.getBlockByHeight' ? 'unreachable' : 'normal');
    source.grow(1);
    const [tx] = parseBlock(source.local.state.blockAt(11n) as Uint8Array).txs;
    expect(await follower.remoteTxStatus(tx?.id as Id)).toEqual({ status: 'Processing' });
    expect(await follower.remoteTxStatus(zeroId)).toEqual({ status: 'Unknown' });
    expect(follower.preLinearizationTx).toBeUndefined();
    chain.node.behavior = ({ method }) => (method === 'avm.getTxStatus' ? 'html' : 'normal');
    const outcomes: string[] = [];
    void outcomeOf(follower.remoteTxStatus(zeroId)).then((outcome) => outcomes.push(outcome));
    await chain.until(() => outcomes.length > 0);
    expect(outcomes).toEqual(['FOLLOW_NONSENSE']);
    await follower.stop();
  });

  test('is Accepted, as a pre-linearization transaction, if all blocks of the node are stored', async () => {
    const source = openSourceChain(15);
    source.grow(30);
    const chain = follow(source, { state: openFollowedState(undefined, 'unknown'), hasPreLinearizationHistory: true });
    beginAfter(chain, source, 20n);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    const [tx] = parseBlock(source.local.state.blockAt(7n) as Uint8Array).txs;
    const id = tx?.id as Id;
    expect(chain.state.hasTx(id)).toBe(false);
    expect(await follower.remoteTxStatus(id)).toEqual({ status: 'Accepted' });
    expect((await follower.preLinearizationTx?.(id))?.id).toBe(id);
    expect(await follower.preLinearizationTx?.(zeroId)).toBeUndefined();
    // While blocks are missing, it may be in one of them.
    chain.node.behavior = ({ method }) => (method === 'avm.getBlockByHeight' ? 'unreachable' : 'normal');
    source.grow(1);
    beginAfter(chain, source, 20n);
    expect(await follower.remoteTxStatus(id)).toEqual({ status: 'Processing' });
    await follower.stop();
  });
});

test('issue forwards a transaction to the node, and an error has the message of the node', async () => {
  const source = openSourceChain(13);
  const chain = follow(source);
  const follower = chain.start();
  const good = signDraft(baseTx(source.wallet, { utxos: [...source.model.utxos.values()] }, []));
  await follower.issue(good);
  const bad = makeTx({ ...good.unsigned, networkID: 1 }, good.credentials);
  const refused = await follower.issue(bad).catch((error) => error);
  expect([refused.message, refused.fault.code]).toEqual(['tx has wrong network ID', 'FOLLOW_REFUSED']);
  await follower.stop();
});
