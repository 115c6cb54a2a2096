import { expect, test } from 'bun:test';
import { createRandom, hostileRounds, hostileTimeout, mutate } from '../../../test/random.ts';
import vectors from '../../../vectors/vectors.json' with { type: 'json' };
import { makeBlock, parseBlock } from '../../avm/tx/block.ts';
import { makeTx, parseTx } from '../../avm/tx/tx.ts';
import { makeUtxo, parseUtxo } from '../../avm/tx/utxo.ts';
import { fromHex, toHex } from '../bytes/hex.ts';
import { CodecError } from './fault.ts';

const raw = (hex: string) => fromHex(hex.slice(2));

const samplesByKind: Record<string, { samples: Uint8Array[]; reencode: (bytes: Uint8Array) => Uint8Array }> = {
  transactions: {
    samples: vectors.txs.map((tx) => raw(tx.signedHexNC)),
    reencode: (bytes) => {
      const tx = parseTx(bytes);
      return makeTx(tx.unsigned, tx.credentials).bytes;
    },
  },
  blocks: { samples: vectors.blocks.map((block) => raw(block.hexNC)), reencode: (bytes) => makeBlock(parseBlock(bytes)).bytes },
  utxos: {
    samples: vectors.utxos.map((utxo) => raw(utxo.hexNC)),
    reencode: (bytes) => {
      const { txID, outputIndex, assetID, output } = parseUtxo(bytes);
      return makeUtxo(txID, outputIndex, assetID, output).bytes;
    },
  },
};

for (const [kind, { samples, reencode }] of Object.entries(samplesByKind))
  test(
    `${kind}: random and mutated bytes are rejected with a CodecError or encode to the same bytes again`,
    () => {
      const random = createRandom(20);
      let rejected = 0;
      let read = 0;
      for (let round = 0; round < hostileRounds(0.2); round++) {
        const bytes = round % 10 === 0 ? random.bytes(random.below(400)) : mutate(random, random.pick(samples), samples);
        try {
          const written = reencode(bytes);
          read++;
          // makeBlock always writes a zero merkle root, so a changed root is not reproduced.
          if (kind !== 'blocks') expect(toHex(written)).toBe(toHex(bytes));
        } catch (error) {
          if (!(error instanceof CodecError)) throw error;
          rejected++;
        }
      }
      expect(rejected).toBeGreaterThan(0);
      expect(read).toBeGreaterThan(0);
    },
    hostileTimeout,
  );

test('a list with a huge element count and few bytes is rejected', () => {
  const [sample] = samplesByKind.transactions!.samples;
  const bytes = Uint8Array.from(sample!);
  // The number of outputs follows version, type, network and chain.
  bytes.set([0x7f, 0xff, 0xff, 0xff], 42);
  expect(() => parseTx(bytes)).toThrow(CodecError);
});
