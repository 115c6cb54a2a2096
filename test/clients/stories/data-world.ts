import { avm, TransferableOutput } from '@avalabs/avalanchejs';
import { bech32Encode } from '../../../src/bytes/bech32.ts';
import { parseId } from '../../../src/bytes/id.ts';
import { arrive } from './atomic.ts';
import { type Client, coins, ewoq, openClient, type Wallet, walletOf } from './avalanchejs.ts';
import { freshSecrets } from './keys.ts';
import { farAway, local, oneAvax } from './local-network.ts';
import type { Node } from './node.ts';
import { createAssetTx, operationTx, ownedBy } from './own-tx.ts';

/** A small history made by avalanchejs, one transaction a block, with something of every kind that the Data interface has words for. */
export type World = Awaited<ReturnType<typeof makeWorld>>;

export async function makeWorld(node: Node) {
  const js = await openClient(node);
  const secrets = await freshSecrets(node, 'world');
  const draw = () => walletOf(secrets());
  const people = { alice: draw(), bob: draw(), carol: draw(), dora: draw(), erin: draw(), frank: draw() };
  const { alice, bob, carol, dora, erin, frank } = people;
  const ids: string[] = [];
  const done = async (sent: Promise<string>): Promise<string> => {
    ids.push(await sent);
    return ids.at(-1)!;
  };

  const early = {
    funding: await done(js.fund(alice, amounts.funding)),
    gift: await done(js.pay(alice, [coins(amounts.gift, bob)], { memo })),
    ...(await makeAsset(node, js, alice, bob, done)),
  };
  const turn = await nextSecond(node);
  const owners = [carol, dora, erin].sort((a, b) => (a.address < b.address ? -1 : 1)).map(({ bytes }) => bytes);
  const late = {
    ...(await makeFamily(node, js, alice, bob, done)),
    shared: await done(js.pay(ewoq, [TransferableOutput.fromNative(local.avaxAssetID, amounts.shared, owners, 0n, 2)])),
    locked: await done(js.pay(ewoq, [TransferableOutput.fromNative(local.avaxAssetID, amounts.locked, [carol.bytes], farAway)])),
    exported: await done(exportToP(js, alice)),
    imported: await done(importFromP(node, js, dora)),
  };
  const pay = (to: Wallet, amount: bigint): Promise<string> => done(js.fund(to, amount));
  const coinage: string[] = [];
  for (const amount of amounts.coinage) coinage.push(await pay(frank, amount));

  return {
    js,
    ...people,
    txs: { ...early, ...late },
    /** Payments to frank. */
    coinage,
    /** Every transaction after the genesis, oldest first; what `pay` adds as well. The one at [i] is alone in block i + 1. */
    ids: ids as readonly string[],
    /** The second at which the NFT family and all after it began, and how many transactions there were before. */
    turn,
    early: Object.keys(early).length,
    pay,
  };
}

/** What was moved, in nAVAX and in units of the new asset. */
export const amounts = {
  funding: 20n * oneAvax,
  gift: 3_141_592_653n,
  supply: 10n,
  minted: 90n,
  shared: 2n * oneAvax,
  locked: 5n * oneAvax,
  exported: 123_456_789n,
  imported: oneAvax,
  coinage: [33n, 11n, 77n, 22n, 66n, 44n, 55n],
} as const;

export const memo: Uint8Array = Buffer.from('a story');
export const payload: Uint8Array = Buffer.from('a picture');

/** An address as a program written for fuji has it, and as the Data interface writes it for that program: without the chain. */
export const bare = (wallet: Wallet): string => bech32Encode('fuji', wallet.bytes);

type Done = (sent: Promise<string>) => Promise<string>;

/** More of it can be made: ten to its maker, ninety minted for somebody else. */
async function makeAsset(node: Node, js: Client, maker: Wallet, to: Wallet, done: Done) {
  const owner = ownedBy(maker.address);
  const asset = await done(
    createAssetTx(node, maker, {
      name: 'Variable Cap',
      symbol: 'VAR',
      denomination: 2,
      initialStates: [
        {
          fxIndex: 0,
          outputs: [
            { kind: 'secp256k1fx.MintOutput', ...owner },
            { kind: 'secp256k1fx.TransferOutput', amount: amounts.supply, ...owner },
          ],
        },
      ],
    }).then(js.issueBytes),
  );
  // A new asset's outputs are numbered after the change.
  const minting = await done(
    operationTx(node, maker, {
      assetID: parseId(asset),
      inputIDs: [{ txID: parseId(asset), outputIndex: 1 }],
      operation: {
        kind: 'secp256k1fx.MintOperation',
        mintInput: { signatureIndices: [0] },
        mintOutput: owner,
        transferOutput: { amount: amounts.minted, ...ownedBy(to.address) },
      },
    }).then(js.issueBytes),
  );
  return { asset, minting };
}

/** An NFT minted for its maker and passed on. */
async function makeFamily(node: Node, js: Client, maker: Wallet, to: Wallet, done: Done) {
  const owner = ownedBy(maker.address);
  const family = await done(
    createAssetTx(node, maker, {
      name: 'Family',
      symbol: 'NFT',
      denomination: 0,
      initialStates: [{ fxIndex: 1, outputs: [{ kind: 'nftfx.MintOutput', groupID: 1, ...owner }] }],
    }).then(js.issueBytes),
  );
  const picture = await done(
    operationTx(node, maker, {
      assetID: parseId(family),
      inputIDs: [{ txID: parseId(family), outputIndex: 1 }],
      operation: { kind: 'nftfx.MintOperation', mintInput: { signatureIndices: [0] }, groupID: 1, payload, outputs: [owner] },
    }).then(js.issueBytes),
  );
  const passed = await done(
    operationTx(node, maker, {
      assetID: parseId(family),
      inputIDs: [{ txID: parseId(picture), outputIndex: 1 }],
      operation: {
        kind: 'nftfx.TransferOperation',
        input: { signatureIndices: [0] },
        output: { groupID: 1, payload, ...ownedBy(to.address) },
      },
    }).then(js.issueBytes),
  );
  return { family, picture, passed };
}

async function exportToP(js: Client, from: Wallet): Promise<string> {
  const outputs = [coins(amounts.exported, from)];
  return js.issue(avm.newExportTx(js.context, local.pBlockchainID, [from.bytes], await js.utxos(from), outputs), from);
}

async function importFromP(node: Node, js: Client, to: Wallet): Promise<string> {
  await arrive(node, 'P', to.address, amounts.imported);
  const { utxos } = await js.x.getUTXOs({ addresses: [to.on('X')], sourceChain: 'P' });
  return js.issue(avm.newImportTx(js.context, local.pBlockchainID, utxos, [to.bytes], [to.bytes]), to);
}

/** A second that no block has yet: blocks from now on are not older. */
async function nextSecond(node: Node): Promise<number> {
  const { height } = await node.call<{ height: string }>('/ext/bc/X', 'avm.getHeight');
  const { block } = await node.call<{ block: { time: number } }>('/ext/bc/X', 'avm.getBlockByHeight', { height, encoding: 'json' });
  while (Date.now() < (block.time + 1) * 1_000) await Bun.sleep((block.time + 1) * 1_000 - Date.now());
  return block.time + 1;
}
