import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseTx, type Tx } from '../src/avm/tx/tx.ts';
import { type Id, idText } from '../src/base/bytes/id.ts';
import { signStaking } from '../src/network/identity/staking-certificate.ts';
import type { Endpoint } from '../src/network/peers/socket.ts';
import { makeSignedBlock, type OuterBlock } from '../src/network/proposervm/outer-block.ts';
import { startAvalancheGo } from './avalanchego.ts';
import { type BlockPeer, openBlockPeer } from './block-peer.ts';
import { createLanes, heightOf, isBootstrapped, issueTo, type NetworkNode, untilAcceptedBy } from './network-nodes.ts';
import { type BlockDraft, innerOf, outerParts, unixSeconds, wrap } from './peer-block.ts';
import { eventually } from './processes.ts';
import { startProgramAsUsers } from './program.ts';
import { localChainParams } from './wallet-kit.ts';

/**
 * Step 15 of joining a network, and step 14 after it: a peer sends bad blocks to a node, then a good one. AvalancheGo and Serac must refuse the same
 * blocks for the same reason, keep the connection, prefer and accept nothing of them, and accept the good one.
 */
const binary = process.env.AVALANCHEGO;
const folder = mkdtempSync(join(tmpdir(), 'serac-bad-blocks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Target = {
  readonly node: NetworkNode;
  readonly endpoint: Endpoint;
  /** All that it has logged about its X-Chain. */
  readonly log: () => string;
  readonly stop: () => Promise<unknown>;
};

const targets: Readonly<Record<string, () => Promise<Target>>> = {
  Serac: async () => {
    const flags = ['--network-id=local', '--sybil-protection-enabled=false', '--staking-host=127.0.0.1', '--staking-port=0'];
    const program = await startProgramAsUsers('join', ...flags, '--proposervm-min-block-delay=0s', '--log-level=debug');
    const node = { name: 'Serac', client: program.client };
    await eventually(
      () => isBootstrapped(node),
      (isDone) => isDone,
      30_000,
    );
    const { ip } = (await node.client.call('/ext/info', 'info.getNodeIP')).result as unknown as { ip: string };
    const endpoint = { ip: '127.0.0.1', port: Number(ip.split(':')[1]) };
    return { node, endpoint, log: program.stderrText, stop: program.stop };
  },
  ...(binary !== undefined && {
    AvalancheGo: async () => {
      const go = await startAvalancheGo(binary, { flags: ['--log-level=debug', `--log-dir=${folder}`] });
      const node = { name: 'AvalancheGo', client: go.client };
      const endpoint = { ip: '127.0.0.1', port: go.stakingPort };
      return { node, endpoint, log: () => readFileSync(join(folder, 'X.log'), 'utf8'), stop: go.stop };
    },
  }),
};

type Draft = BlockDraft & {
  /** A transaction that the tip's chain contains. */
  readonly spent: Tx;
  readonly identity: BlockPeer['identity'];
};

const chainID = localChainParams.blockchainID;

/** Changes one byte; `at` counts from the end if it is negative. */
function flip(bytes: Uint8Array, at: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  const index = at < 0 ? bytes.length + at : at;
  changed[index] = (changed[index] as number) ^ 1;
  return changed;
}

/** Where the merkle root of a block begins: after version, type, parent, height and time. */
const merkleRootOffset = 2 + 4 + 32 + 8 + 8;

const unknownHeight = 'unknown P-Chain height';

/** What is wrong, the block, and the words of AvalancheGo's reason. */
const badBlocks: readonly (readonly [name: string, make: (draft: Draft) => OuterBlock, reason: string])[] = [
  ['merkle root', (draft) => wrap(draft, flip(innerOf(draft).bytes, merkleRootOffset)), 'unexpected merkle root'],
  ['30 s ahead', (draft) => wrap(draft, innerOf(draft), { timestamp: unixSeconds() + 30n }), 'time is too far advanced'],
  [
    'inner time 30 s ahead',
    (draft) => wrap(draft, innerOf(draft, { time: unixSeconds() + 30n })),
    'proposed timestamp is too far in the future relative to local time',
  ],
  [
    'other epoch',
    (draft) => wrap(draft, innerOf(draft), { epoch: { pChainHeight: 0n, number: 77n, startTime: 5n } }),
    'epoch mismatch: epoch {0 77 5} != expected',
  ],
  ['no epoch', (draft) => wrap(draft, innerOf(draft), { epoch: undefined }), 'epoch mismatch: epoch {0 0 0} != expected'],
  [
    'earlier than its parent',
    (draft) => wrap(draft, innerOf(draft), { timestamp: draft.tip.outer.timestamp - 1n }),
    'time must monotonically increase',
  ],
  [
    'inner time earlier than its parent',
    (draft) => wrap(draft, innerOf(draft, { time: draft.tip.inner.time - 1n })),
    'proposed timestamp before current chain time',
  ],
  [
    unknownHeight,
    (draft) => wrap(draft, innerOf(draft), { pChainHeight: 9n }),
    'block P-chain height larger than current P-chain height: 9 > 0',
  ],
  [
    'signed without validators',
    (draft) =>
      makeSignedBlock(outerParts(draft, innerOf(draft).bytes), chainID, draft.identity.certificate, (message) =>
        signStaking(draft.identity.privateKey, message),
      ),
    'proposer mismatch: shouldHaveProposer (false) != hasProposer (true)',
  ],
  [
    'inner block on another parent',
    (draft) => wrap(draft, innerOf(draft, { parentID: draft.tip.inner.parentID })),
    "inner parentID didn't match expected parent",
  ],
  ['height', (draft) => wrap(draft, innerOf(draft, { height: draft.tip.inner.height + 2n })), 'block has incorrect height'],
  ['no transactions', (draft) => wrap(draft, innerOf(draft, { txs: [] })), 'block contains no transactions'],
  ['spent output', (draft) => wrap(draft, innerOf(draft, { txs: [draft.spent] })), 'failed to semantically verify tx'],
  ['the same transaction twice', (draft) => wrap(draft, innerOf(draft, { txs: [draft.tx, draft.tx] })), 'failed to semantically verify tx'],
  [
    'signature of a transaction',
    (draft) => wrap(draft, innerOf(draft, { txs: [parseTx(flip(draft.tx.bytes, -10))] })),
    'failed to semantically verify tx',
  ],
];

describe.each(Object.entries(targets))('%s', (name, start) => {
  test('refuses bad blocks of a peer with their reason, stays connected, and accepts a good one', async () => {
    const target = await start();
    const lanes = createLanes(2);
    let peer: BlockPeer | undefined;
    try {
      await issueTo(target.node, lanes.first);
      await untilAcceptedBy([target.node], lanes.first.id);
      let spent = lanes.first;
      for (let i = 0; i < 2; i++) {
        spent = lanes.next(0);
        await issueTo(target.node, spent);
        await untilAcceptedBy([target.node], spent.id);
      }
      peer = await openBlockPeer(target.endpoint);
      const tip = await peer.readTip();
      const draft: Draft = { tip, tx: lanes.next(0), spent, identity: peer.identity };
      const height = await heightOf(target.node);
      expect(tip.inner.height).toBe(height);

      for (const [what, make, reason] of badBlocks) {
        // Without sybil protection a Serac node does not know the height of the P-Chain (docs/guides/join.md, Limits).
        if (name === 'Serac' && what === unknownHeight) continue;
        const block = make(draft);
        expect([what, await peer.push(block.bytes, height + 1n)]).toEqual([what, tip.outer.id]);
        const line = await eventually(
          () => lineAbout(target.log(), block.id),
          (found) => found !== undefined,
          15_000,
        );
        expect([what, line]).toEqual([what, expect.stringContaining(reason)]);
        expect([what, peer.isConnected(), await peer.preference()]).toEqual([what, true, tip.outer.id]);
      }
      // Bytes that are no block.
      await peer.push(wrap(draft, innerOf(draft).bytes.subarray(0, 60)).bytes, height + 1n);
      await peer.push(new Uint8Array(100).fill(7), height + 1n);
      expect([await peer.preference(), await heightOf(target.node)]).toEqual([tip.outer.id, height]);

      const good = wrap(draft, innerOf(draft));
      peer.voteFor(good.id, good.bytes);
      await peer.push(good.bytes, height + 1n);
      await untilAcceptedBy([target.node], draft.tx.id, 20_000);
      expect([await heightOf(target.node), (await peer.readTip()).outer.id]).toEqual([height + 1n, good.id]);
    } finally {
      peer?.close();
      await target.stop();
    }
  });
});

const lineAbout = (log: string, block: Id): string | undefined =>
  log.split('\n').find((line) => line.includes(idText(block)) && /verification failed|refused/.test(line));
