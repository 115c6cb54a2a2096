import { describe, expect, test } from 'bun:test';
import vectors from '../../../vectors/p2p.json' with { type: 'json' };
import { parseBlock } from '../../avm/tx/block.ts';
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import { type Id, idText, parseId } from '../../base/bytes/id.ts';
import { nodeIdText, parseNodeId } from '../../base/bytes/node-id.ts';
import { CodecError } from '../../base/codec/fault.ts';
import { newKeyPair } from '../identity/certificate.ts';
import { signStaking, verifyStakingSignature } from '../identity/staking-certificate.ts';
import { OuterBlockError } from './fault.ts';
import { makeSignedBlock, makeUnsignedBlock, type OuterBlock, parseOuterBlock, signedHeader, verifyBlockSignature } from './outer-block.ts';
import { createProposerSchedule } from './proposer.ts';
import { verifyChild, verifyFirstChild } from './verify-child.ts';

const chainId = vectors.chainIdX as Id;
type Decoded = {
  type: number;
  outerIdHex: string;
  parentId: string;
  timestamp: number;
  pChainHeight: number;
  proposer: string | null;
  innerId: string;
  innerParentId: string;
  innerHeight: number;
  epoch: { pChainHeight: number; number: number; startTime: number } | null;
  signedHeaderHex?: string;
  signatureVerifies?: boolean;
  parentTimestamp?: number;
  parentPChainHeight?: number;
  accepted?: boolean;
  error?: string;
};
const blocks = vectors.entries
  .filter(({ kind }) => kind === 'block')
  .map(({ name, hex, decoded }) => ({ name, bytes: fromHex(hex), decoded: decoded as unknown as Decoded }));
const wrapped = blocks.filter(({ decoded }) => typeof decoded.type === 'number');
const named = (name: string) => parseOuterBlock(blocks.find((block) => block.name === name)!.bytes);

const codeOf = (run: () => unknown): string => {
  try {
    run();
    return 'none';
  } catch (error) {
    if (error instanceof OuterBlockError) return error.fault.code;
    if (error instanceof CodecError) return error.fault.code;
    throw error;
  }
};
const messageOf = (run: () => void): string | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};
const verify = (block: OuterBlock) => verifyBlockSignature(block, chainId, verifyStakingSignature);

describe('captured blocks', () => {
  test('there are 20: one is not wrapped', () => {
    expect([blocks.length, wrapped.length]).toEqual([20, 19]);
    expect(codeOf(() => parseOuterBlock(blocks.find(({ name }) => name === 'block_height_0')!.bytes))).toBe('CODEC_UNKNOWN_TYPE');
  });

  for (const { name, bytes, decoded } of wrapped)
    test(name, () => {
      const block = parseOuterBlock(bytes);
      expect(block.id).toBe(decoded.outerIdHex as Id);
      expect(idText(block.parentID)).toBe(decoded.parentId);
      expect([block.timestamp, block.pChainHeight]).toEqual([BigInt(decoded.timestamp), BigInt(decoded.pChainHeight)]);
      expect(block.proposer && nodeIdText(block.proposer)).toBe((decoded.proposer ?? undefined) as string);
      const { epoch } = decoded;
      const expectedEpoch = epoch && {
        pChainHeight: BigInt(epoch.pChainHeight),
        number: BigInt(epoch.number),
        startTime: BigInt(epoch.startTime),
      };
      expect(block.epoch).toEqual(expectedEpoch ?? undefined);
      expect(parseBlock(block.inner).id).toBe(parseId(decoded.innerId));
      const code = codeOf(() => verify(block));
      if (decoded.signatureVerifies === undefined) expect(code).toBe('none');
      else {
        expect(code).toBe(decoded.signatureVerifies ? 'none' : 'OUTER_BAD_SIGNATURE');
        expect(toHex(signedHeader(chainId, block.parentID, block.id))).toBe(decoded.signedHeaderHex!);
      }
      // Built from its parts, it has the same bytes.
      const again =
        block.proposer === undefined ? makeUnsignedBlock(block) : makeSignedBlock(block, chainId, block.certificate, () => block.signature);
      expect(toHex(again.bytes)).toBe(toHex(bytes));
      expect(again.id).toBe(block.id);
    });

  test('the layouts of both types', () => {
    const parts = { parentID: `09${'0'.repeat(62)}` as Id, timestamp: 1700000000n, pChainHeight: 7n, inner: fromHex('aabb') };
    const start = `09${'0'.repeat(62)}000000006553f100000000000000000700000000 00000002aabb`.replace(' ', '');
    expect(toHex(makeUnsignedBlock({ ...parts, epoch: undefined }).bytes)).toBe(`000000000000${start}00000000`);
    const later = makeUnsignedBlock({ ...parts, epoch: { pChainHeight: 6n, number: 3n, startTime: 1699999990n } });
    expect(toHex(later.bytes)).toBe(`000000000002${start}00000000000000060000000000000003000000006553f0f600000000`);
    expect(later.id).toBe('5295621186860478c8dc5e1aa11b04a35478654bb02cd49ffef49d4ddcd6db75' as Id);
  });
});

describe('signatures', () => {
  const parts = { parentID: '11'.repeat(32) as Id, timestamp: 5n, pChainHeight: 1n, inner: Uint8Array.of(1), epoch: undefined };
  const { certificate, privateKey } = newKeyPair(1_700_000_000n);
  const signed = makeSignedBlock(parts, chainId, certificate, (message) => signStaking(privateKey, message));

  test('a block signed with a P-256 key verifies, on its own chain only', () => {
    const block = parseOuterBlock(signed.bytes);
    expect(codeOf(() => verify(block))).toBe('none');
    expect(block.id).toBe(signed.id);
    expect(codeOf(() => verifyBlockSignature(block, '22'.repeat(32) as Id, verifyStakingSignature))).toBe('OUTER_BAD_SIGNATURE');
    expect(codeOf(() => verify({ ...block, signature: new Uint8Array(0) }))).toBe('OUTER_BAD_SIGNATURE');
  });
  test('a signature without certificate, a bad certificate, a zero epoch', () => {
    const unsigned = makeUnsignedBlock(parts);
    expect(codeOf(() => verify({ ...unsigned, signature: Uint8Array.of(1) }))).toBe('OUTER_UNEXPECTED_SIGNATURE');
    const bad = makeSignedBlock(parts, chainId, Uint8Array.of(1, 2, 3), () => signed.signature);
    expect(codeOf(() => verify(bad))).toBe('OUTER_INVALID_CERTIFICATE');
    const epoch = { pChainHeight: 0n, number: 0n, startTime: 0n };
    expect(codeOf(() => verify(parseOuterBlock(makeUnsignedBlock({ ...parts, epoch }).bytes)))).toBe('OUTER_ZERO_EPOCH');
  });
});

describe('a block on its parent', () => {
  const rules = { durangoTime: 0n, graniteTime: 1607144400n, epochSeconds: 30n, minPChainHeight: 0n };
  const childOf = (block: OuterBlock) => {
    const inner = parseBlock(block.inner);
    return { ...block, innerParentId: inner.parentID, height: inner.height };
  };
  const schedule = createProposerSchedule(
    chainId,
    vectors.validatorSetsByPChainHeight[0]!.validators.map(([node, weight]) => ({ nodeId: parseNodeId(node!), weight: BigInt(weight!) })),
  );
  const parentBlock = named('block_height_60');
  const parent = { ...parentBlock, innerId: parseBlock(parentBlock.inner).id };
  const normal = { currentPChainHeight: 8n, schedule };
  const run = (block: OuterBlock, options: { now?: bigint; bootstrapping?: boolean; parent?: typeof parent } = {}) =>
    codeOf(() =>
      verifyChild(
        options.parent ?? parent,
        childOf(block),
        rules,
        options.now ?? 1000n * block.timestamp,
        options.bootstrapping ? undefined : normal,
      ),
    );

  test('the captured variants of block 61 are refused or accepted as AvalancheGo did', () => {
    const variants = wrapped.filter(({ name }) => name.startsWith('block_variant'));
    expect(variants.length).toBe(8);
    for (const { name, bytes, decoded } of variants) {
      const block = parseOuterBlock(bytes);
      const message = messageOf(() => {
        verify(block);
        verifyChild(parent, childOf(block), rules, 1000n * block.timestamp, normal);
      });
      // A bad signature fails at parse, where AvalancheGo reports another error.
      if (decoded.error?.startsWith('fails at parse')) expect([name, message]).toEqual([name, 'invalid signature of the proposer']);
      else {
        const expected = decoded.error?.split('…')[0];
        expect([name, message?.slice(0, expected?.length)]).toEqual([name, expected]);
      }
      expect([name, message === undefined]).toEqual([name, decoded.accepted!]);
    }
  });
  test('times', () => {
    const block = named('block_variant_slot');
    expect(run(block, { now: 1000n * block.timestamp - 10_000n })).not.toBe('OUTER_TOO_FAR_AHEAD');
    expect(run(block, { now: 1000n * block.timestamp - 10_001n })).toBe('OUTER_TOO_FAR_AHEAD');
    expect(run(block, { parent: { ...parent, timestamp: block.timestamp + 1n } })).toBe('OUTER_EARLIER_THAN_PARENT');
  });
  test('a node that bootstraps does not check epoch, P-Chain height and proposer', () => {
    for (const name of ['unsigned', 'phigh', 'epoch']) expect(run(named(`block_variant_${name}`), { bootstrapping: true })).toBe('none');
    expect(run(named('block_variant_plow'), { bootstrapping: true })).toBe('OUTER_P_CHAIN_HEIGHT_DECREASES');
    expect(run(named('block_variant_unsigned'), { bootstrapping: true, parent: { ...parent, innerId: chainId } })).toBe(
      'OUTER_INNER_PARENT',
    );
  });
  test('captured neighbours: 2 on 1, and 1 as the first wrapped block', () => {
    const first = named('block_height_1');
    const second = named('block_height_2');
    expect(run(second, { parent: { ...first, innerId: parseBlock(first.inner).id } })).toBe('none');
    const zero = parseBlock(blocks.find(({ name }) => name === 'block_height_0')!.bytes);
    const runFirst = (child: Partial<ReturnType<typeof childOf>>, current = 0n) =>
      codeOf(() =>
        verifyFirstChild(
          { timestamp: zero.time, innerId: zero.id },
          { ...childOf(first), ...child },
          rules,
          1000n * first.timestamp,
          current,
        ),
      );
    expect(runFirst({})).toBe('none');
    expect(runFirst({ pChainHeight: 1n })).toBe('OUTER_P_CHAIN_HEIGHT_UNKNOWN');
    expect(runFirst({ epoch: second.epoch })).toBe('OUTER_EPOCH_BEFORE_FIRST');
    expect(runFirst({ proposer: second.proposer })).toBe('OUTER_FIRST_IS_SIGNED');
    expect(runFirst({ timestamp: zero.time - 1n })).toBe('OUTER_EARLIER_THAN_PARENT');
  });
  test('without validators a signed block is refused', () => {
    const block = named('block_height_2');
    const first = named('block_height_1');
    const anyone = { currentPChainHeight: 8n, schedule: createProposerSchedule(chainId, []) };
    const onFirst = { ...first, innerId: parseBlock(first.inner).id };
    expect(codeOf(() => verifyChild(onFirst, childOf(block), rules, 1000n * block.timestamp, anyone))).toBe(
      'OUTER_SIGNED_WITHOUT_VALIDATORS',
    );
    expect(codeOf(() => verifyChild(onFirst, { ...childOf(block), proposer: undefined }, rules, 1000n * block.timestamp, anyone))).toBe(
      'none',
    );
  });
});
