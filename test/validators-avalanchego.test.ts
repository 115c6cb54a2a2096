import { expect, test } from 'bun:test';
import { parseNodeId } from '../src/base/bytes/node-id.ts';
import { createRpc } from '../src/chain/follow/rpc.ts';
import { fetchTransport } from '../src/chain/follow/transport.ts';
import { createMajorityReads } from '../src/network/validators/majority-reads.ts';
import { createPlatformReads } from '../src/network/validators/platform-reads.ts';
import { createTrustedValidators } from '../src/network/validators/trusted-validators.ts';
import vectors from '../vectors/p2p.json' with { type: 'json' };
import { startAvalancheGo } from './avalanchego.ts';
import { realTiming } from './followed-chain.ts';
import { eventually } from './processes.ts';

/** Validators of a real AvalancheGo: the five of the local genesis, which its P-Chain has with and without sybil protection. */
const binary = process.env.AVALANCHEGO;
if (binary === undefined) console.log('skipped: validators of AvalancheGo; set AVALANCHEGO to the path of its binary');
else
  test('the validators of AvalancheGo are read, its loss is tolerated, and it is read again after a restart', async () => {
    const node = await startAvalancheGo(binary);
    const rpc = createRpc(node.url, { transport: fetchTransport(fetch), timing: realTiming });
    const reported: unknown[] = [];
    const reads = createMajorityReads([{ url: node.url, reads: createPlatformReads(node.url, rpc) }], realTiming.after);
    const validators = createTrustedValidators({
      url: node.url,
      reads,
      networkID: 12345,
      known: [],
      save: () => {},
      timers: realTiming,
      onUnreachable: (error) => void reported.push(error),
    });
    try {
      await validators.start();
      const expected = vectors.validatorSetsByPChainHeight[0]!.validators.map(
        ([id, weight]) => [parseNodeId(id!), BigInt(weight!)] as const,
      );
      expect(new Map(validators.current())).toEqual(new Map(expected));
      expect([validators.knownHeight(), validators.proposedHeight()]).toEqual([0n, 0n]);
      for (const id of validators.current().keys()) expect(validators.publicKeyOf(id)?.length).toBe(48);
      expect(await validators.load(1_000_000n).catch((error) => error.fault.code)).toBe('VALIDATORS_UNAVAILABLE');

      await node.kill();
      await eventually(
        () => validators.lastRead().error,
        (error) => error !== undefined,
        30_000,
      );
      expect([reported.length, validators.current().size]).toEqual([1, 5]);
      node.restart();
      await eventually(
        () => validators.lastRead().error,
        (error) => error === undefined,
        90_000,
      );
      expect(validators.at(0n)?.size).toBe(5);
    } finally {
      validators.stop();
      rpc.close();
      await node.stop();
    }
  });
