import { describe, expect, test } from 'bun:test';
import vectors from '../../../vectors/signed-chain.json' with { type: 'json' };
import { fromHex, toHex } from '../../base/bytes/hex.ts';
import { type NodeId, parseNodeId } from '../../base/bytes/node-id.ts';
import { parseOuterBlock } from '../proposervm/outer-block.ts';
import type { ValidatorSet } from '../protocol/validators.ts';
import { utxosOf } from './captured-utxos.fixture.ts';
import { acceptBlock, anyoneProposes, codeOf, openOuterChain } from './outer-chain.fixture.ts';

/** Blocks that validators of a real AvalancheGo network signed in their slots, executed here. */
const blocks = vectors.blocks.map(fromHex);
const outerBlocks = blocks.map(parseOuterBlock);
const sets = new Map<bigint, ValidatorSet>(
  Object.entries(vectors.sets).map(([height, set]) => [
    BigInt(height),
    new Map(Object.entries(set).map(([node, weight]) => [parseNodeId(node), BigInt(weight)])),
  ]),
);
const clock = { ms: Number(outerBlocks.at(-1)!.timestamp) * 1000 };
const validatorsAt = (at: (height: bigint) => ValidatorSet | undefined) => ({ ...anyoneProposes, at, knownHeight: () => 0n });

describe('a chain of signed blocks', () => {
  test('is executed in normal operation: signatures, slots and proposers pass, and the outputs are those of AvalancheGo', () => {
    expect(new Set(outerBlocks.slice(1).map(({ proposer }) => proposer)).size).toBeGreaterThan(2);
    const chain = openOuterChain(clock, { validators: validatorsAt((height) => sets.get(height)) });
    for (const bytes of blocks) acceptBlock(chain.vm, chain.vm.parse(bytes));
    expect(utxosOf(chain.state, Object.keys(vectors.utxos))).toEqual(vectors.utxos);
    for (const { id, bytes } of outerBlocks) expect(toHex(chain.vm.blockBytes(id) as Uint8Array)).toBe(toHex(bytes));
    chain.close();
  });

  test('is refused with another validator set, or without one', () => {
    const codes = [new Map([['01'.repeat(20) as NodeId, 1n]]), new Map<NodeId, bigint>()].map((set) => {
      const chain = openOuterChain(clock, { validators: validatorsAt(() => set) });
      acceptBlock(chain.vm, chain.vm.parse(blocks[0]!));
      return codeOf(() => chain.vm.verify(chain.vm.parse(blocks[1]!)));
    });
    expect(codes).toEqual(['OUTER_UNEXPECTED_PROPOSER', 'OUTER_SIGNED_WITHOUT_VALIDATORS']);
  });

  test('a block with any byte of its header, certificate or signature changed is refused', () => {
    const chain = openOuterChain(clock, { validators: validatorsAt((height) => sets.get(height)) });
    acceptBlock(chain.vm, chain.vm.parse(blocks[0]!));
    const bytes = blocks[1]!;
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = Uint8Array.from(bytes);
      changed[at]! ^= 1;
      expect([at, codeOf(() => chain.vm.verify(chain.vm.parse(changed)))]).not.toEqual([at, 'none']);
    }
    expect(codeOf(() => chain.vm.verify(chain.vm.parse(bytes)))).toBe('none');
  });
});
