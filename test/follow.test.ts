import { describe, expect, test } from 'bun:test';
import { type Id, idText, zeroId } from '../src/bytes/id.ts';
import { recoverNative } from '../src/crypto/curve-native.ts';
import { createSignerCache } from '../src/crypto/recover.ts';
import { Fault } from '../src/fault.ts';
import { type FollowerDeps, startFollower } from '../src/follow/follower.ts';
import { connectRemote } from '../src/follow/remote.ts';
import { checkChain } from '../src/state/check.ts';
import { createVirtualTiming } from '../src/timing/virtual-timing.fixture.ts';
import { makeBlock, parseBlock } from '../src/tx/block.ts';
import { makeTx } from '../src/tx/tx.ts';
import { createLocalVerifier, expectedLocalNode, type FollowedState, findProblems, openFollowedState } from './followed-chain.ts';
import { cChain, localGenesis, pChain } from './local-chain.ts';
import { createRandom } from './random.ts';
import { type Behavior, createScriptedNode } from './scripted-node.ts';
import { openSourceChain, type SourceChain } from './source-chain.ts';
import { baseTx, createWallet, ewoq, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** A follower of a scripted node, with real state, rules and signatures, and a virtual clock. */
function follow(source: SourceChain, { state: given, ...options }: Partial<FollowerDeps> & { state?: FollowedState } = {}) {
  const node = createScriptedNode(source);
  const virtual = createVirtualTiming();
  const opened = given ?? openFollowedState();
  const signers = createSignerCache(recoverNative, 65_536);
  const reported: unknown[] = [];
  const start = (more: Partial<FollowerDeps> = {}) =>
    startFollower({
      remote: connectRemote('http://node', { hrp: 'local', transport: node.transport, timing: virtual.timing }),
      ledger: opened.ledger,
      expectedNode: expectedLocalNode(),
      verifier: createLocalVerifier(signers.recover),
      recover: signers.recover,
      foreign: { P: pChain, C: cChain },
      hasPreLinearizationHistory: false,
      timing: virtual.timing,
      report: (error) => void reported.push(error),
      ...options,
      ...more,
    });
  return { ...virtual, ...opened, node, reported, start };
}

const codes = (errors: readonly unknown[]) => errors.map((error) => (error instanceof Fault ? error.fault.code : error));

/** Expects the same blocks and unspent outputs as the source, and consistent tables. */
function expectSame(source: SourceChain, chain: FollowedState): void {
  const [ours, theirs] = [chain.store, source.local.store].map((store) => checkChain(store, chain.state.id));
  expect(findProblems(chain)).toEqual([]);
  expect({ blocks: ours?.blocks, txs: ours?.txs, ledger: ours?.ledgerHash }).toEqual({
    blocks: theirs?.blocks,
    txs: theirs?.txs,
    ledger: theirs?.ledgerHash,
  });
}

test('every kind of transaction is followed, imports included; new blocks are stored within a second', async () => {
  const source = openSourceChain(1);
  source.grow(80);
  const chain = follow(source);
  const follower = chain.start();
  await chain.until(() => follower.status().state === 'live');
  await Promise.all([follower.ready, follower.caughtUp]);
  expectSame(source, chain);
  for (let i = 0; i < 10; i++) {
    source.grow(1);
    await chain.pass(1000);
    expect(follower.status()).toMatchObject({ state: 'live', height: source.local.state.height(), behindSeconds: 0 });
  }
  expectSame(source, chain);
  expect(follower.status()).toMatchObject({ unknownImports: 0, lastError: undefined, eta: 0 });
  expect(follower.engine.report()).toMatchObject({ processingBlocks: 0, longestProcessing: 0 });
  expect(chain.reported).toEqual([]);
  await follower.stop();
});

test('after a restart following continues at the last stored block and fetches no block twice', async () => {
  const source = openSourceChain(2);
  source.grow(60);
  const chain = follow(source);
  const first = chain.start({ batchLimit: { txs: 5, bytes: 1 << 20 } });
  await chain.until(() => first.status().height >= 20n);
  await first.stop();
  const storedHeight = chain.state.height();
  chain.node.requests.length = 0;
  const second = chain.start();
  await second.ready.catch(() => {});
  await chain.until(() => second.status().state === 'live');
  expectSame(source, chain);
  const blocks = chain.node.requests
    .filter(({ method }) => method === 'avm.getBlockByHeight')
    .map(({ params }) => BigInt(params.height as string));
  expect(blocks.filter((height) => height <= storedHeight)).toEqual([0n, storedHeight]);
  await second.stop();
});

describe('a misbehaving node', () => {
  const behaviors: readonly Behavior[] = [
    'unreachable',
    'hanging',
    'starting',
    'busy',
    'html',
    'truncated',
    'wrongId',
    'corrupted',
    'tooLong',
    'empty',
  ];

  for (const behavior of behaviors)
    test(`${behavior} at the start and later: following recovers`, async () => {
      const source = openSourceChain(3);
      source.grow(20);
      const chain = follow(source);
      chain.node.behavior = () => behavior;
      const follower = chain.start();
      await chain.pass(40_000);
      expect(follower.status()).toMatchObject({ state: 'waiting', height: 0n });
      chain.node.behavior = () => 'normal';
      await chain.until(() => follower.status().state === 'live', 5000);
      chain.node.behavior = () => behavior;
      source.grow(20);
      await chain.pass(40_000);
      expect(follower.status()).toMatchObject({ state: 'waiting', height: 20n });
      expect(follower.status().behindSeconds).toBeGreaterThan(20);
      expect(follower.engine.report().longestProcessing).toBeGreaterThan(30_000);
      chain.node.behavior = () => 'normal';
      await chain.until(() => follower.status().state === 'live', 5000);
      expectSame(source, chain);
      await follower.stop();
    });

  test('a third of all responses are bad in random ways', async () => {
    const source = openSourceChain(4);
    source.grow(60);
    const chain = follow(source);
    const random = createRandom(4);
    chain.node.behavior = () => (random.below(3) === 0 ? random.pick(behaviors) : 'normal');
    const follower = chain.start();
    await chain.until(() => chain.state.height() === 60n, 3_600_000);
    expectSame(source, chain);
    await follower.stop();
  });

  test('loses its newest blocks: following waits for them', async () => {
    const source = openSourceChain(5);
    source.grow(30);
    const chain = follow(source);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    chain.node.height = 25n;
    await chain.pass(10_000);
    source.grow(5);
    expect(follower.status()).toMatchObject({ height: 30n, target: 25n });
    chain.node.height = undefined;
    await chain.until(() => chain.state.height() === 35n, 5000);
    expectSame(source, chain);
    await follower.stop();
  });
});

describe('another node than expected', () => {
  test('of another network is rejected, with both network ids in the message', async () => {
    const chain = follow(openSourceChain(6));
    chain.node.networkID = 5;
    const follower = chain.start();
    const refused = follower.ready.then(
      () => 'taken',
      (error) => error as Fault<{ code: string }>,
    );
    await chain.until(() => follower.status().state === 'waiting');
    expect(await refused).toMatchObject({
      message: 'the followed node is of network 5, not of network 12345',
      fault: { code: 'FOLLOW_OTHER_NETWORK', what: 'network', want: '12345', got: '5' },
    });
    expect(chain.node.requests.some(({ method }) => method === 'avm.getBlockByHeight')).toBe(false);
    await follower.stop();
  });

  test('with another chain id or another block 0 is rejected', async () => {
    const source = openSourceChain(6);
    for (const wrong of ['chain', 'first'] as const) {
      const chain = follow(source);
      if (wrong === 'chain') chain.node.chainID = cChain;
      else chain.node.replacedBlocks.set(0n, makeBlock({ ...localGenesis().first, time: 1n }).bytes);
      const follower = chain.start();
      await chain.until(() => follower.status().state === 'waiting');
      expect(codes(chain.reported)).toEqual([wrong === 'chain' ? 'FOLLOW_OTHER_NETWORK' : 'FOLLOW_BLOCK_CHANGED']);
      await follower.stop();
    }
  });

  test('of another network at the same URL after an outage is rejected', async () => {
    const source = openSourceChain(7);
    source.grow(10);
    const chain = follow(source);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    chain.node.behavior = () => 'unreachable';
    await chain.pass(3000);
    chain.node.behavior = () => 'normal';
    chain.node.networkID = 1;
    source.grow(5);
    await chain.pass(20_000);
    expect(chain.state.height()).toBe(10n);
    expect(codes([follower.status().lastError])).toEqual(['FOLLOW_OTHER_NETWORK']);
    chain.node.networkID = localChainParams.networkID;
    await chain.until(() => chain.state.height() === 15n, 60_000);
    await follower.stop();
  });

  test('with another block than the stored one is found at the start and, by sampling, while following', async () => {
    const source = openSourceChain(8);
    source.grow(3);
    const chain = follow(source);
    const first = chain.start();
    await chain.until(() => first.status().state === 'live');
    const real = parseBlock(source.local.state.blockAt(3n) as Uint8Array);
    const other = makeBlock({ ...real, time: real.time + 1n });
    for (const height of [1n, 2n, 3n]) chain.node.replacedBlocks.set(height, makeBlock({ ...other, height }).bytes);
    await chain.until(() => codes([first.status().lastError])[0] === 'FOLLOW_BLOCK_CHANGED', 600_000);
    await first.stop();
    chain.node.replacedBlocks.delete(1n);
    chain.node.replacedBlocks.delete(2n);
    const second = chain.start();
    await chain.until(() => second.status().state === 'waiting');
    expect(second.status().lastError).toMatchObject({
      fault: { code: 'FOLLOW_BLOCK_CHANGED', height: '3', held: idText(real.id), told: idText(other.id) },
    });
    chain.node.replacedBlocks.clear();
    await chain.until(() => second.status().state === 'live', 60_000);
    await second.stop();
  });
});

describe('an invalid block', () => {
  const otherWallet = createWallet('stranger', { count: 1 });

  /** The last block of the source with another transaction instead of its own. */
  const forged = (source: SourceChain, tx: ReturnType<typeof signDraft>) => {
    const last = parseBlock(source.local.state.blockAt(source.local.state.height()) as Uint8Array);
    return makeBlock({ ...last, txs: [tx] });
  };

  const spend = (source: SourceChain, wallet = source.wallet) => {
    const utxos = [...source.model.utxos.values()].filter(
      ({ assetID, output }) =>
        assetID === localChainParams.feeAsset && output.locktime === 0n && output.threshold === 1 && output.addresses.length === 1,
    );
    return baseTx(wallet, { utxos }, [transfer(localChainParams.feeAsset, 1n, ownedBy([ewoq]))]);
  };

  const invalidTxs = {
    'signed by another key': (source: SourceChain) => {
      const { unsigned, signers } = spend(source);
      return signDraft({ unsigned, signers: signers.map(() => otherWallet.keys) });
    },
    'spends a spent output': (source: SourceChain) => {
      const spent = source.model.spent.filter(
        ({ assetID, output }) => assetID === localChainParams.feeAsset && output.addresses.length === 1,
      );
      return signDraft(
        baseTx(source.wallet, { utxos: spent, now: 10_000_000_000n }, [transfer(localChainParams.feeAsset, 1n, ownedBy([ewoq]))]),
      );
    },
    'pays no fee': (source: SourceChain) => {
      const { unsigned, signers } = spend(source, { ...source.wallet, chainParams: { ...localChainParams, txFee: 0n } });
      return signDraft({ unsigned, signers });
    },
    'not signed': (source: SourceChain) => makeTx(spend(source).unsigned, []),
  };

  for (const [what, makeInvalid] of Object.entries(invalidTxs))
    test(`${what}: not stored, reported once, retried slowly, and stored once it is valid`, async () => {
      const source = openSourceChain(9);
      source.grow(30);
      const chain = follow(source);
      const bad = forged(source, makeInvalid(source));
      chain.node.replacedBlocks.set(30n, bad.bytes);
      const follower = chain.start();
      await chain.until(() => follower.status().state === 'waiting');
      await chain.pass(120_000);
      expect(chain.state.height()).toBe(29n);
      expect(follower.status().lastError).toMatchObject({
        fault: { code: 'FOLLOW_BAD_BLOCK', height: '30', blockID: idText(bad.id), cause: 'BLOCK_BAD_TX' },
      });
      const tries = chain.node.requests.filter(({ params }) => params.height === '30').length;
      expect(tries).toBeGreaterThan(3);
      expect(tries).toBeLessThan(20);
      expect(codes(chain.reported)).toEqual(['FOLLOW_BAD_BLOCK']);
      chain.node.replacedBlocks.clear();
      await chain.until(() => follower.status().state === 'live', 60_000);
      expectSame(source, chain);
      await follower.stop();
    });
});

describe('imports', () => {
  test('whose exports the node does not know: only their signatures are verified', async () => {
    const source = openSourceChain(10);
    source.grow(80);
    const imported = source.model.accepted.filter(({ unsigned }) => unsigned.kind === 'ImportTx');
    expect(imported.length).toBeGreaterThan(3);
    const chain = follow(source);
    chain.node.knowsForeignTxs = false;
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    expectSame(source, chain);
    const inputs = imported.flatMap(({ unsigned }) => (unsigned.kind === 'ImportTx' ? unsigned.importedInputs : []));
    expect(follower.status().unknownImports).toBe(inputs.length);
    await follower.stop();
  });

  test('whose source chain does not respond: lookups are skipped after a timeout', async () => {
    const source = openSourceChain(10);
    source.grow(80);
    const chain = follow(source);
    chain.node.behavior = ({ method }) => (method.startsWith('avm.') || method.startsWith('info.') ? 'normal' : 'busy');
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live', 180_000);
    expect(follower.status().unknownImports).toBeGreaterThan(0);
    await follower.stop();
  });

  test('with an invalid signature are rejected even if the export is unknown', async () => {
    const source = openSourceChain(10);
    source.grow(80);
    const height = [...Array(80).keys()].findIndex((i) =>
      parseBlock(source.local.state.blockAt(BigInt(i + 1)) as Uint8Array).txs.some(({ unsigned }) => unsigned.kind === 'ImportTx'),
    );
    const real = parseBlock(source.local.state.blockAt(BigInt(height + 1)) as Uint8Array);
    const txs = real.txs.map((tx) => {
      if (tx.unsigned.kind !== 'ImportTx') return tx;
      const credentials = tx.credentials.map((one) => ({ ...one, signatures: [new Uint8Array(65)] }));
      return makeTx(tx.unsigned, credentials as typeof tx.credentials);
    });
    const chain = follow(source);
    chain.node.knowsForeignTxs = false;
    chain.node.replacedBlocks.set(real.height, makeBlock({ ...real, txs }).bytes);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'waiting');
    expect(follower.status()).toMatchObject({ height: real.height - 1n });
    expect(follower.status().lastError).toMatchObject({ fault: { code: 'FOLLOW_BAD_BLOCK' } });
    await follower.stop();
  });
});

/** Makes the node serve only the blocks after a height, renumbered from 1, as if all before were from before linearization. */
const beginAfter = ({ node }: Pick<ReturnType<typeof follow>, 'node'>, source: SourceChain, after: bigint): void => {
  let parentID = localGenesis().first.id;
  for (let height = after + 1n; height <= source.local.state.height(); height++) {
    const block = makeBlock({ ...parseBlock(source.local.state.blockAt(height) as Uint8Array), parentID, height: height - after });
    node.replacedBlocks.set(block.height, block.bytes);
    parentID = block.id;
  }
  node.height = source.local.state.height() - after;
};

describe('a chain with pre-linearization history', () => {
  const linesOf = (balances: ReturnType<FollowedState['state']['balances']>): string[] =>
    balances.map((b) => `${b.assetID} ${b.locktime}: ${b.singleOwner}/${b.singleOwnerCount} ${b.multiOwner}/${b.multiOwnerCount}`).sort();

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
      addresses.filter((one) => linesOf(chain.state.balances(one)).join() !== linesOf(source.local.state.balances(one)).join());
    expect(differing().length).toBeGreaterThan(0);
    const listings = () => chain.node.requests.filter(({ method }) => method === 'avm.getUTXOs').length;
    await Promise.all([follower.backfillAddresses(addresses), follower.backfillAddresses(addresses.slice(1))]);
    expect(differing()).toEqual([]);
    expect(listings()).toBe(addresses.length);
    await follower.backfillAddresses(addresses);
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
      void follower.backfillAddresses([ewoq.address]).then(
        () => outcomes.push('done'),
        (error) => outcomes.push(error.fault.code),
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
    expect(await follower.remoteTxStatus(tx?.id as Id)).toBe('Processing');
    expect(await follower.remoteTxStatus(zeroId)).toBe('Unknown');
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
    expect(await follower.remoteTxStatus(id)).toBe('Accepted');
    expect((await follower.preLinearizationTx?.(id))?.id).toBe(id);
    expect(await follower.preLinearizationTx?.(zeroId)).toBeUndefined();
    // While blocks are missing, it may be in one of them.
    chain.node.behavior = ({ method }) => (method === 'avm.getBlockByHeight' ? 'unreachable' : 'normal');
    source.grow(1);
    beginAfter(chain, source, 20n);
    expect(await follower.remoteTxStatus(id)).toBe('Processing');
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
