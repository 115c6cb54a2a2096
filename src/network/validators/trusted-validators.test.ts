import { describe, expect, test } from 'bun:test';
import vectors from '../../../vectors/p2p.json' with { type: 'json' };
import { toHex } from '../../base/bytes/hex.ts';
import { type NodeId, parseNodeId } from '../../base/bytes/node-id.ts';
import { Fault } from '../../base/fault.ts';
import { createVirtualTiming } from '../../base/timing/virtual-timing.fixture.ts';
import { FollowError } from '../../chain/follow/fault.ts';
import type { ValidatorSet } from '../protocol/validators.ts';
import type { MajorityReads } from './majority-reads.ts';
import { createPlatformReads } from './platform-reads.ts';
import { createTrustedValidators } from './trusted-validators.ts';

const node = (first: number) => first.toString(16).padStart(2, '0').repeat(20) as NodeId;
const codeOf = (error: unknown): string => (error instanceof Fault ? error.fault.code : String(error));

/** A trusted node whose P-Chain the test changes. */
function setUp(known: Parameters<typeof createTrustedValidators>[0]['known'] = []) {
  const chain = { height: 10n, proposed: 9n, networkID: 12345, isDown: false, isHung: false, members: 3, time: 100n, otherTime: 100n };
  const asked: string[] = [];
  /** Heights whose set is answered only after these. */
  const delays = new Map<bigint, Promise<void>>();
  const virtual = createVirtualTiming();
  const answer = async <T>(method: string, value: () => T): Promise<T> => {
    asked.push(method);
    if (chain.isHung) return new Promise(() => {});
    if (chain.isDown) throw new Fault('down', { code: 'TEST_DOWN' });
    return value();
  };
  const heights = () => ({ current: chain.height, proposed: chain.proposed, time: chain.time });
  const reads: MajorityReads = {
    networkID: () => answer('networkID', () => chain.networkID),
    heights: () => answer('heights', heights),
    sources: () => [
      { url: 'http://node', heights: heights() },
      { url: 'http://other', heights: { ...heights(), time: chain.otherTime } },
      { url: 'http://silent', heights: undefined },
    ],
    validatorsAt: async (height) => {
      const set = await answer(`at ${height}`, () => {
        const nodes = Array.from({ length: chain.members }, (_, i) => node(i + 1));
        return { weights: new Map(nodes.map((one) => [one, 5n])), keys: new Map([[node(1), new Uint8Array(48)]]) };
      });
      await delays.get(height);
      return set;
    },
  };
  const reported: unknown[] = [];
  const saved: bigint[] = [];
  const first: ValidatorSet[] = [];
  const onUnreachable = (error: unknown) => void reported.push(error);
  const validators = createTrustedValidators({
    url: 'http://node',
    reads,
    networkID: 12345,
    known,
    save: (height) => void saved.push(height),
    timers: virtual.timing,
    onUnreachable,
    onFirstSet: (set) => void first.push(set),
  });
  return { chain, asked, delays, reported, saved, first, validators, ...virtual };
}

describe('validators of a trusted node', () => {
  test('the current set, its keys and the heights are read at the start, and again when the height changes', async () => {
    const { chain, asked, validators, pass } = setUp();
    expect(validators.current().size).toBe(0);
    await validators.start();
    expect([validators.current().size, validators.knownHeight(), validators.proposedHeight()]).toEqual([3, 10n, 9n]);
    expect([validators.publicKeyOf(node(1))?.length, validators.publicKeyOf(node(2))]).toEqual([48, undefined]);
    // Equal sets are one object: what was computed for one height is used for the other.
    expect(validators.at(9n)).toBe(validators.current());
    expect([validators.at(10n), validators.at(8n)]).toEqual([validators.current(), undefined]);
    asked.length = 0;
    await pass(2500);
    expect(asked).toEqual(['heights']);
    Object.assign(chain, { height: 11n, members: 4 });
    await pass(2000);
    expect([validators.current().size, validators.at(10n)?.size, validators.at(11n)?.size, validators.knownHeight()]).toEqual([
      4,
      3,
      4,
      11n,
    ]);
    validators.stop();
    asked.length = 0;
    await pass(10_000);
    expect(asked).toEqual([]);
  });

  test('known sets hold until the node answers: a start without it succeeds, and what is read is saved for the next one', async () => {
    const set = { weights: new Map([[node(7), 5n]]), keys: new Map() };
    const { chain, reported, saved, validators, pass } = setUp([
      { height: 4n, set },
      { height: 6n, set: { ...set, weights: new Map([[node(8), 5n]]) } },
    ]);
    chain.isDown = true;
    await validators.start();
    expect([[...validators.current().keys()], validators.knownHeight(), validators.at(4n)?.size, reported.length]).toEqual([
      [node(8)],
      6n,
      1,
      1,
    ]);
    chain.isDown = false;
    await pass(31_000);
    expect([validators.current().size, validators.knownHeight(), validators.lastRead().error]).toEqual([3, 10n, undefined]);
    expect(saved).toEqual([10n, 9n]);
    validators.stop();
    const other = setUp([{ height: 4n, set }]);
    other.chain.networkID = 5;
    expect(await other.validators.start().catch(codeOf)).toBe('VALIDATORS_WRONG_NETWORK');
  });

  test('its loss is reported once and tolerated: set and heights stay, and it is followed again within 2 s of its return', async () => {
    const { chain, asked, reported, validators, pass, timing } = setUp();
    await validators.start();
    await pass(4500);
    const { at } = validators.lastRead();
    expect(at).toBe(4000);
    chain.isDown = true;
    asked.length = 0;
    await pass(120_000);
    expect([reported.length, validators.current().size, validators.knownHeight()]).toEqual([1, 3, 10n]);
    expect([validators.lastRead().at, codeOf(validators.lastRead().error)]).toEqual([at, 'TEST_DOWN']);
    expect(asked.length).toBe(60);
    Object.assign(chain, { isDown: false, height: 12n });
    await pass(2000);
    expect([validators.knownHeight(), validators.lastRead().error]).toEqual([12n, undefined]);
    expect(timing.now() - validators.lastRead().at).toBeLessThanOrEqual(2000);
    // A node that was restarted may be behind: heights never fall.
    Object.assign(chain, { height: 3n, proposed: 2n });
    await pass(10_000);
    expect([validators.knownHeight(), validators.proposedHeight()]).toEqual([12n, 9n]);
    validators.stop();
  });

  test('a reading that ends after a later one takes nothing back: blocks that refer to the later height would be refused', async () => {
    const { chain, delays, validators, pass } = setUp();
    await validators.start();
    const slow = Promise.withResolvers<void>();
    delays.set(11n, slow.promise);
    Object.assign(chain, { height: 11n, proposed: 10n });
    await pass(2500);
    expect(validators.knownHeight()).toBe(10n);
    Object.assign(chain, { height: 12n, proposed: 11n, members: 4 });
    delays.delete(11n);
    await pass(2000);
    const later = [validators.knownHeight(), validators.proposedHeight(), validators.current().size];
    expect(later).toEqual([12n, 11n, 4]);
    slow.resolve();
    await pass(100);
    expect([validators.knownHeight(), validators.proposedHeight(), validators.current().size]).toEqual(later);
    validators.stop();
  });

  test('a set is loaded once for all who wait; after a failure it is not requested again at once', async () => {
    const { chain, asked, validators, pass } = setUp();
    await validators.start();
    asked.length = 0;
    await Promise.all([validators.load(4n), validators.load(4n), validators.load(10n)]);
    await validators.load(4n);
    expect([asked, validators.at(4n)?.size]).toEqual([['at 4'], 3]);
    chain.isDown = true;
    const failures = await Promise.allSettled([validators.load(5n)]);
    expect(failures[0]?.status).toBe('rejected');
    expect(await validators.load(5n).catch(codeOf)).toBe('TEST_DOWN');
    expect(asked.filter((method) => method === 'at 5')).toHaveLength(1);
    for (let step = 0; step < 100; step++) {
      await pass(100);
      await validators.load(5n).catch(() => {});
    }
    expect(asked.filter((method) => method === 'at 5')).toHaveLength(11);
    chain.isDown = false;
    await pass(1000);
    await validators.load(5n);
    expect(validators.at(5n)?.size).toBe(3);
    validators.stop();
  });

  test('cached sets and parallel requests are bounded', async () => {
    const { asked, validators } = setUp();
    await validators.start();
    for (let height = 100n; height < 200n; height++) await validators.load(height);
    const cached = Array.from({ length: 200 }, (_, height) => validators.at(BigInt(height))).filter((set) => set !== undefined);
    expect(cached.length).toBe(64);
    asked.length = 0;
    const many = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => validators.load(BigInt(300 + i))));
    expect(many.filter(({ status }) => status === 'fulfilled').length).toBe(8);
    expect(asked.length).toBe(8);
    validators.stop();
  });

  test('the first start without an answer, or with a malformed one, goes on without validators, and reads them when they come', async () => {
    for (const broken of [{ isDown: true }, { members: 0 }, { proposed: 11n }]) {
      const { chain, validators, first, pass } = setUp();
      const whole = { ...chain };
      Object.assign(chain, broken);
      await validators.start();
      expect([validators.current().size, validators.lastRead().error instanceof Fault, first.length]).toEqual([0, true, 0]);
      Object.assign(chain, whole);
      await pass(2000);
      expect([validators.current().size, validators.lastRead().error, first.map(({ size }) => size)]).toEqual([3, undefined, [3]]);
      validators.stop();
    }
  });

  test('a node that never answers delays the start by half a second', async () => {
    const { chain, validators, timing, pass } = setUp();
    chain.isHung = true;
    let isStarted = false;
    void validators.start().then(() => {
      isStarted = true;
    });
    await pass(400);
    expect(isStarted).toBe(false);
    await pass(200);
    expect([isStarted, validators.lastRead(), timing.now()]).toEqual([true, { at: 0, error: undefined }, 600]);
    validators.stop();
  });

  test('a call that is never answered does not delay the next ones, of which five are open at once', async () => {
    const { chain, asked, validators, pass } = setUp();
    await validators.start();
    asked.length = 0;
    chain.isHung = true;
    await pass(6100);
    Object.assign(chain, { isHung: false, height: 12n });
    await pass(2000);
    expect([asked.length, validators.knownHeight(), validators.lastRead().error]).toEqual([5, 12n, undefined]);
    chain.isHung = true;
    asked.length = 0;
    await pass(60_000);
    expect(asked.length).toBe(2);
    validators.stop();
  });

  test('P-Chain times that are more than 60 s apart are noticed, with the time of the first such reading', async () => {
    const { chain, validators, pass } = setUp();
    await validators.start();
    chain.otherTime = 160n;
    await pass(2500);
    expect(validators.timesApart()).toBeUndefined();
    chain.otherTime = 161n;
    await pass(2000);
    chain.otherTime = 170n;
    await pass(2000);
    expect(validators.timesApart()).toEqual({ since: 4000, seconds: 70 });
    chain.time = 170n;
    await pass(2000);
    expect(validators.timesApart()).toBeUndefined();
    validators.stop();
  });

  test('the time of the last growth of the height is kept', async () => {
    const { chain, validators, pass } = setUp();
    await validators.start();
    await pass(9000);
    expect(validators.heightSince()).toBe(0);
    chain.height = 11n;
    await pass(9000);
    expect([validators.heightSince(), validators.sources()[0]?.heights?.current]).toEqual([10_000, 11n]);
    validators.stop();
  });

  test('the start fails if the node is of another network', async () => {
    const { chain, validators } = setUp();
    chain.networkID = 5;
    expect(await validators.start().catch(codeOf)).toBe('VALIDATORS_WRONG_NETWORK');
    validators.stop();
  });
});

describe('responses of the P-Chain', () => {
  const captured = (name: string) => vectors.rpc.find((one) => one.name.startsWith(name))!.json as unknown as Record<string, unknown>;
  const readsOf = (results: Record<string, unknown>) =>
    createPlatformReads('http://node', {
      call: async (_path, method) => {
        const result = results[method];
        if (result instanceof Fault) throw result;
        return result as Record<string, unknown>;
      },
    });

  test('captured ones of AvalancheGo', async () => {
    const reads = readsOf({
      'platform.getHeight': captured('platform.getHeight'),
      'platform.getProposedHeight': captured('platform.getProposedHeight'),
      'platform.getTimestamp': { timestamp: '2026-01-31T12:00:00Z' },
      'platform.getValidatorsAt': captured('platform.getValidatorsAt'),
      'info.getNetworkID': { networkID: '12345' },
    });
    expect(await reads.heights()).toEqual({ current: 9n, proposed: 8n, time: 1_769_860_800n });
    expect(await reads.networkID()).toBe(12345);
    const { weights, keys } = await reads.validatorsAt(0n);
    const expected = vectors.validatorSetsByPChainHeight[0]!.validators.map(([id, weight]) => [parseNodeId(id!), BigInt(weight!)] as const);
    expect(new Map(weights)).toEqual(new Map(expected));
    expect(toHex(keys.get(parseNodeId('NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg')) as Uint8Array)).toStartWith('900c9b11');
  });

  const valid = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';
  for (const [what, result] of [
    ['a bad node ID', { 'NodeID-1': { weight: '1' } }],
    ['no weight', { [valid]: {} }],
    ['null', { [valid]: null }],
    ['a negative weight', { [valid]: { weight: '-1' } }],
    ['a number', { [valid]: { weight: 1 } }],
    ['more than 64 bits', { [valid]: { weight: '18446744073709551616' } }],
    ['a short key', { [valid]: { weight: '1', publicKey: '0x00' } }],
    ['a key that is no text', { [valid]: { weight: '1', publicKey: {} } }],
  ] as const)
    test(`${what} is refused`, async () => {
      expect(await readsOf({ 'platform.getValidatorsAt': result }).validatorsAt(1n).catch(codeOf)).toBe('VALIDATORS_INVALID');
    });

  test('the message says what to check', async () => {
    const silent = new FollowError('the followed node does not answer', { code: 'FOLLOW_SILENT', method: 'x', why: 'connection refused' });
    const error = await readsOf({ 'platform.getProposedHeight': silent })
      .heights()
      .catch((cause) => cause);
    expect(error.message).toBe(
      'cannot read validators from http://node (platform.getProposedHeight: connection refused); check that --validators-from is the URL of a running node',
    );
  });
});
