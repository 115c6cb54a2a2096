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
import { type FollowedState, localExpectation, localJudge, openFollowedState, problemsOf } from './followed-chain.ts';
import { cChain, localGenesis, pChain } from './local-chain.ts';
import { createRandom } from './random.ts';
import { type Mood, scriptNode } from './scripted-node.ts';
import { openSourceChain, type SourceChain } from './source-chain.ts';
import { baseTx, createWallet, ewoq, localTerms, ownedBy, signed, transfer } from './wallet-kit.ts';

/** A follower of a scripted node, with real state, rules and signatures, in a time that passes by itself. */
function follow(source: SourceChain, { state: held, ...options }: Partial<FollowerDeps> & { state?: FollowedState } = {}) {
  const node = scriptNode(source);
  const virtual = createVirtualTiming();
  const opened = held ?? openFollowedState();
  const signers = createSignerCache(recoverNative, 65_536);
  const reported: unknown[] = [];
  const start = (more: Partial<FollowerDeps> = {}) =>
    startFollower({
      remote: connectRemote('http://node', { hrp: 'local', transport: node.transport, timing: virtual.timing }),
      ledger: opened.ledger,
      expect: localExpectation(),
      judge: localJudge(signers.recover),
      recover: signers.recover,
      foreign: { P: pChain, C: cChain },
      hasOlder: false,
      timing: virtual.timing,
      report: (error) => void reported.push(error),
      ...options,
      ...more,
    });
  return { ...virtual, ...opened, node, reported, start };
}

const codes = (errors: readonly unknown[]) => errors.map((error) => (error instanceof Fault ? error.fault.code : error));

/** The same blocks and the same unspent outputs, and nothing in the follower's tables that does not fit the rest. */
function expectSame(source: SourceChain, chain: FollowedState): void {
  const [ours, theirs] = [chain.store, source.local.store].map((store) => checkChain(store, chain.state.id));
  expect(problemsOf(chain)).toEqual([]);
  expect({ blocks: ours?.blocks, txs: ours?.txs, ledger: ours?.ledgerHash }).toEqual({
    blocks: theirs?.blocks,
    txs: theirs?.txs,
    ledger: theirs?.ledgerHash,
  });
}

test('every kind of transaction is followed, imports included; new blocks are here within a second', async () => {
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
  expect(follower.status()).toMatchObject({ untoldImports: 0, lastError: undefined, eta: 0 });
  expect(follower.engine.report()).toMatchObject({ processingBlocks: 0, longestProcessing: 0 });
  expect(chain.reported).toEqual([]);
  await follower.stop();
});

test('stopped and started again it goes on where it was, and asks for no block twice', async () => {
  const source = openSourceChain(2);
  source.grow(60);
  const chain = follow(source);
  const first = chain.start({ batch: { txs: 5, bytes: 1 << 20 } });
  await chain.until(() => first.status().height >= 20n);
  await first.stop();
  const held = chain.state.height();
  chain.node.asked.length = 0;
  const second = chain.start();
  await second.ready.catch(() => {});
  await chain.until(() => second.status().state === 'live');
  expectSame(source, chain);
  const blocks = chain.node.asked
    .filter(({ method }) => method === 'avm.getBlockByHeight')
    .map(({ params }) => BigInt(params.height as string));
  expect(blocks.filter((height) => height <= held)).toEqual([0n, held]);
  await second.stop();
});

describe('whatever the node does', () => {
  const moods: readonly Mood[] = ['gone', 'hanging', 'starting', 'busy', 'html', 'cut', 'stranger', 'flipped', 'endless', 'empty'];

  for (const mood of moods)
    test(`${mood} for a while, from the start on and in the middle`, async () => {
      const source = openSourceChain(3);
      source.grow(20);
      const chain = follow(source);
      chain.node.mood = () => mood;
      const follower = chain.start();
      await chain.pass(40_000);
      expect(follower.status()).toMatchObject({ state: 'waiting', height: 0n });
      chain.node.mood = () => 'well';
      await chain.until(() => follower.status().state === 'live', 5000);
      chain.node.mood = () => mood;
      source.grow(20);
      await chain.pass(40_000);
      expect(follower.status()).toMatchObject({ state: 'waiting', height: 20n });
      expect(follower.status().behindSeconds).toBeGreaterThan(20);
      expect(follower.engine.report().longestProcessing).toBeGreaterThan(30_000);
      chain.node.mood = () => 'well';
      await chain.until(() => follower.status().state === 'live', 5000);
      expectSame(source, chain);
      await follower.stop();
    });

  test('a third of all answers are bad, each in another way', async () => {
    const source = openSourceChain(4);
    source.grow(60);
    const chain = follow(source);
    const random = createRandom(4);
    chain.node.mood = () => (random.below(3) === 0 ? random.pick(moods) : 'well');
    const follower = chain.start();
    await chain.until(() => chain.state.height() === 60n, 3_600_000);
    expectSame(source, chain);
    await follower.stop();
  });

  test('it forgot the newest blocks: they are waited for', async () => {
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

describe('a node that is not the one expected', () => {
  test('another network is refused, with both numbers in the sentence', async () => {
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
    expect(chain.node.asked.some(({ method }) => method === 'avm.getBlockByHeight')).toBe(false);
    await follower.stop();
  });

  test('another chain, and another block 0', async () => {
    const source = openSourceChain(6);
    for (const spoil of ['chain', 'first'] as const) {
      const chain = follow(source);
      if (spoil === 'chain') chain.node.chainID = cChain;
      else chain.node.instead.set(0n, makeBlock({ ...localGenesis().first, time: 1n }).bytes);
      const follower = chain.start();
      await chain.until(() => follower.status().state === 'waiting');
      expect(codes(chain.reported)).toEqual([spoil === 'chain' ? 'FOLLOW_OTHER_NETWORK' : 'FOLLOW_BLOCK_CHANGED']);
      await follower.stop();
    }
  });

  test('one of another network takes its place while it is away', async () => {
    const source = openSourceChain(7);
    source.grow(10);
    const chain = follow(source);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    chain.node.mood = () => 'gone';
    await chain.pass(3000);
    chain.node.mood = () => 'well';
    chain.node.networkID = 1;
    source.grow(5);
    await chain.pass(20_000);
    expect(chain.state.height()).toBe(10n);
    expect(codes([follower.status().lastError])).toEqual(['FOLLOW_OTHER_NETWORK']);
    chain.node.networkID = localTerms.networkID;
    await chain.until(() => chain.state.height() === 15n, 60_000);
    await follower.stop();
  });

  test('a block that is held has changed: found at the start and, sooner or later, while following', async () => {
    const source = openSourceChain(8);
    source.grow(3);
    const chain = follow(source);
    const first = chain.start();
    await chain.until(() => first.status().state === 'live');
    const real = parseBlock(source.local.state.blockAt(3n) as Uint8Array);
    const other = makeBlock({ ...real, time: real.time + 1n });
    for (const height of [1n, 2n, 3n]) chain.node.instead.set(height, makeBlock({ ...other, height }).bytes);
    await chain.until(() => codes([first.status().lastError])[0] === 'FOLLOW_BLOCK_CHANGED', 600_000);
    await first.stop();
    chain.node.instead.delete(1n);
    chain.node.instead.delete(2n);
    const second = chain.start();
    await chain.until(() => second.status().state === 'waiting');
    expect(second.status().lastError).toMatchObject({
      fault: { code: 'FOLLOW_BLOCK_CHANGED', height: '3', held: idText(real.id), told: idText(other.id) },
    });
    chain.node.instead.clear();
    await chain.until(() => second.status().state === 'live', 60_000);
    await second.stop();
  });
});

describe('a block that breaks a rule', () => {
  const stranger = createWallet('stranger', { count: 1 });

  /** The last block of the source with another transaction instead of its own. */
  const forged = (source: SourceChain, tx: ReturnType<typeof signed>) => {
    const last = parseBlock(source.local.state.blockAt(source.local.state.height()) as Uint8Array);
    return makeBlock({ ...last, txs: [tx] });
  };

  const spend = (source: SourceChain, wallet = source.wallet) => {
    const utxos = [...source.model.utxos.values()].filter(
      ({ assetID, output }) =>
        assetID === localTerms.feeAsset && output.locktime === 0n && output.threshold === 1 && output.addresses.length === 1,
    );
    return baseTx(wallet, { utxos }, [transfer(localTerms.feeAsset, 1n, ownedBy([ewoq]))]);
  };

  const spoilers = {
    'a stranger signs': (source: SourceChain) => {
      const { unsigned, signers } = spend(source);
      return signed({ unsigned, signers: signers.map(() => stranger.keys) });
    },
    'it spends what is spent': (source: SourceChain) => {
      const gone = source.model.spent.filter(({ assetID, output }) => assetID === localTerms.feeAsset && output.addresses.length === 1);
      return signed(baseTx(source.wallet, { utxos: gone, now: 10_000_000_000n }, [transfer(localTerms.feeAsset, 1n, ownedBy([ewoq]))]));
    },
    'it pays no fee': (source: SourceChain) => {
      const { unsigned, signers } = spend(source, { ...source.wallet, terms: { ...localTerms, txFee: 0n } });
      return signed({ unsigned, signers });
    },
    'it is not signed at all': (source: SourceChain) => makeTx(spend(source).unsigned, []),
  };

  for (const [what, spoil] of Object.entries(spoilers))
    test(`${what}: never stored, told, tried again slowly, and taken once it is right`, async () => {
      const source = openSourceChain(9);
      source.grow(30);
      const chain = follow(source);
      const bad = forged(source, spoil(source));
      chain.node.instead.set(30n, bad.bytes);
      const follower = chain.start();
      await chain.until(() => follower.status().state === 'waiting');
      await chain.pass(120_000);
      expect(chain.state.height()).toBe(29n);
      expect(follower.status().lastError).toMatchObject({
        fault: { code: 'FOLLOW_BAD_BLOCK', height: '30', blockID: idText(bad.id), cause: 'BLOCK_BAD_TX' },
      });
      const tries = chain.node.asked.filter(({ params }) => params.height === '30').length;
      expect(tries).toBeGreaterThan(3);
      expect(tries).toBeLessThan(20);
      expect(codes(chain.reported)).toEqual(['FOLLOW_BAD_BLOCK']);
      chain.node.instead.clear();
      await chain.until(() => follower.status().state === 'live', 60_000);
      expectSame(source, chain);
      await follower.stop();
    });
});

describe('imports', () => {
  test('whose exports nobody can tell are taken as they show themselves, with their signatures checked', async () => {
    const source = openSourceChain(10);
    source.grow(80);
    const imported = source.model.accepted.filter(({ unsigned }) => unsigned.kind === 'ImportTx');
    expect(imported.length).toBeGreaterThan(3);
    const chain = follow(source);
    chain.node.foreign = false;
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    expectSame(source, chain);
    const inputs = imported.flatMap(({ unsigned }) => (unsigned.kind === 'ImportTx' ? unsigned.importedInputs : []));
    expect(follower.status().untoldImports).toBe(inputs.length);
    await follower.stop();
  });

  test('whose chain does not answer: waited for a little, then done without', async () => {
    const source = openSourceChain(10);
    source.grow(80);
    const chain = follow(source);
    chain.node.mood = ({ method }) => (method.startsWith('avm.') || method.startsWith('info.') ? 'well' : 'busy');
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live', 180_000);
    expect(follower.status().untoldImports).toBeGreaterThan(0);
    await follower.stop();
  });

  test('a bad signature is found all the same', async () => {
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
    chain.node.foreign = false;
    chain.node.instead.set(real.height, makeBlock({ ...real, txs }).bytes);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'waiting');
    expect(follower.status()).toMatchObject({ height: real.height - 1n });
    expect(follower.status().lastError).toMatchObject({ fault: { code: 'FOLLOW_BAD_BLOCK' } });
    await follower.stop();
  });
});

/** Lets the node tell only the blocks after a height, as if what went before were of another age: its own block 0, then those. */
const beginAfter = ({ node }: Pick<ReturnType<typeof follow>, 'node'>, source: SourceChain, after: bigint): void => {
  let parentID = localGenesis().first.id;
  for (let height = after + 1n; height <= source.local.state.height(); height++) {
    const block = makeBlock({ ...parseBlock(source.local.state.blockAt(height) as Uint8Array), parentID, height: height - after });
    node.instead.set(block.height, block.bytes);
    parentID = block.id;
  }
  node.height = source.local.state.height() - after;
};

describe('a chain with a history older than its blocks', () => {
  const linesOf = (balances: ReturnType<FollowedState['state']['balances']>): string[] =>
    balances.map((b) => `${b.assetID} ${b.locktime}: ${b.own}/${b.ownCount} ${b.shared}/${b.sharedCount}`).sort();

  test('inputs and assets are fetched by their transactions; addresses are completed on first use', async () => {
    const source = openSourceChain(11);
    source.grow(80);
    const chain = follow(source, { state: openFollowedState(undefined, 'unknown'), hasOlder: true });
    beginAfter(chain, source, 40n);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    expect(chain.state.height()).toBe(40n);
    const addresses = [...new Set([...source.model.utxos.values()].flatMap(({ output }) => output.addresses))];
    const differing = () =>
      addresses.filter((one) => linesOf(chain.state.balances(one)).join() !== linesOf(source.local.state.balances(one)).join());
    expect(differing().length).toBeGreaterThan(0);
    const listings = () => chain.node.asked.filter(({ method }) => method === 'avm.getUTXOs').length;
    await Promise.all([follower.complete(addresses), follower.complete(addresses.slice(1))]);
    expect(differing()).toEqual([]);
    expect(listings()).toBe(addresses.length);
    await follower.complete(addresses);
    expect(listings()).toBe(addresses.length);
    source.grow(10);
    beginAfter(chain, source, 40n);
    await chain.until(() => chain.state.height() === 50n);
    expect(differing()).toEqual([]);
    expect(problemsOf(chain)).toEqual([]);
    expect(chain.reported).toEqual([]);
    await follower.stop();
  });

  test('an address cannot be completed while the node is silent or blocks are missing', async () => {
    const source = openSourceChain(12);
    source.grow(30);
    const chain = follow(source, { state: openFollowedState(undefined, 'unknown'), hasOlder: true });
    beginAfter(chain, source, 20n);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    const outcomes: string[] = [];
    const complete = () =>
      void follower.complete([ewoq.address]).then(
        () => outcomes.push('done'),
        (error) => outcomes.push(error.fault.code),
      );
    chain.node.mood = () => 'gone';
    complete();
    await chain.until(() => outcomes.length === 1);
    chain.node.mood = ({ method }) => (method === 'avm.getBlockByHeight' ? 'html' : 'well');
    source.grow(1);
    beginAfter(chain, source, 20n);
    complete();
    await chain.until(() => outcomes.length === 2);
    chain.node.mood = () => 'well';
    complete();
    await chain.until(() => outcomes.length === 3);
    expect(outcomes).toEqual(['FOLLOW_SILENT', 'FOLLOW_BEHIND', 'done']);
    await follower.stop();
  });
});

describe('a transaction that is not here', () => {
  const outcomeOf = (asked: Promise<unknown>) => asked.then(String, (error) => error.fault.code);

  test('is on its way if the node has accepted it, else the node knows', async () => {
    const source = openSourceChain(14);
    source.grow(10);
    const chain = follow(source);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    chain.node.mood = ({ method }) => (method === 'avm.getBlockByHeight' ? 'gone' : 'well');
    source.grow(1);
    const [tx] = parseBlock(source.local.state.blockAt(11n) as Uint8Array).txs;
    expect(await follower.statusThere(tx?.id as Id)).toBe('Processing');
    expect(await follower.statusThere(zeroId)).toBe('Unknown');
    expect(follower.olderTx).toBeUndefined();
    chain.node.mood = ({ method }) => (method === 'avm.getTxStatus' ? 'html' : 'well');
    const outcomes: string[] = [];
    void outcomeOf(follower.statusThere(zeroId)).then((outcome) => outcomes.push(outcome));
    await chain.until(() => outcomes.length > 0);
    expect(outcomes).toEqual(['FOLLOW_NONSENSE']);
    await follower.stop();
  });

  test('is older than history if all blocks of the node are here', async () => {
    const source = openSourceChain(15);
    source.grow(30);
    const chain = follow(source, { state: openFollowedState(undefined, 'unknown'), hasOlder: true });
    beginAfter(chain, source, 20n);
    const follower = chain.start();
    await chain.until(() => follower.status().state === 'live');
    const [tx] = parseBlock(source.local.state.blockAt(7n) as Uint8Array).txs;
    const id = tx?.id as Id;
    expect(chain.state.hasTx(id)).toBe(false);
    expect(await follower.statusThere(id)).toBe('Accepted');
    expect((await follower.olderTx?.(id))?.id).toBe(id);
    expect(await follower.olderTx?.(zeroId)).toBeUndefined();
    // With blocks still to come it might be in one of them.
    chain.node.mood = ({ method }) => (method === 'avm.getBlockByHeight' ? 'gone' : 'well');
    source.grow(1);
    beginAfter(chain, source, 20n);
    expect(await follower.statusThere(id)).toBe('Processing');
    await follower.stop();
  });
});

test('a transaction is passed on, and a refusal comes back in the words of the node', async () => {
  const source = openSourceChain(13);
  const chain = follow(source);
  const follower = chain.start();
  const good = signed(baseTx(source.wallet, { utxos: [...source.model.utxos.values()] }, []));
  await follower.issue(good);
  const bad = makeTx({ ...good.unsigned, networkID: 1 }, good.credentials);
  const refused = await follower.issue(bad).catch((error) => error);
  expect([refused.message, refused.fault.code]).toEqual(['tx has wrong network ID', 'FOLLOW_REFUSED']);
  await follower.stop();
});
