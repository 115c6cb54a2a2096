import { avm, TransferableOutput } from '@avalabs/avalanchejs';
import { bech32Encode } from '../../../src/base/bytes/bech32.ts';
import { parseId } from '../../../src/base/bytes/id.ts';
import { makeImportable } from './atomic.ts';
import { avaxOutput, type Client, ewoq, openClient, type Wallet, walletOf } from './avalanchejs.ts';
import { freshSecrets } from './keys.ts';
import { futureLocktime, local, oneAvax } from './local-network.ts';
import type { Node } from './node.ts';
import { createAssetTx, operationTx, ownedBy } from './own-tx.ts';

/** A small chain created with avalanchejs: one transaction per block, of every type that the Data API can show. */
export type SampleChain = Awaited<ReturnType<typeof createSampleChain>>;

export async function createSampleChain(node: Node) {
  const js = await openClient(node);
  const secrets = await freshSecrets(node, 'sample');
  const newWallet = () => walletOf(secrets());
  const people = { alice: newWallet(), bob: newWallet(), carol: newWallet(), dora: newWallet(), erin: newWallet(), frank: newWallet() };
  const { alice, bob, carol, dora, erin, frank } = people;
  const ids: string[] = [];
  const done = async (sent: Promise<string>): Promise<string> => {
    ids.push(await sent);
    return ids.at(-1)!;
  };

  const early = {
    funding: await done(js.fund(alice, amounts.funding)),
    payment: await done(js.pay(alice, [avaxOutput(amounts.payment, bob)], { memo })),
    ...(await createVariableAsset(node, js, alice, bob, done)),
  };
  const splitTime = await nextSecond(node);
  const owners = [carol, dora, erin].sort((a, b) => (a.address < b.address ? -1 : 1)).map(({ bytes }) => bytes);
  const late = {
    ...(await createNft(node, js, alice, bob, done)),
    shared: await done(js.pay(ewoq, [TransferableOutput.fromNative(local.avaxAssetID, amounts.shared, owners, 0n, 2)])),
    locked: await done(js.pay(ewoq, [TransferableOutput.fromNative(local.avaxAssetID, amounts.locked, [carol.bytes], futureLocktime)])),
    exported: await done(exportToP(js, alice)),
    imported: await done(importFromP(node, js, dora)),
  };
  const pay = (to: Wallet, amount: bigint): Promise<string> => done(js.fund(to, amount));
  const smallPayments: string[] = [];
  for (const amount of amounts.smallPayments) smallPayments.push(await pay(frank, amount));

  return {
    js,
    ...people,
    txs: { ...early, ...late },
    /** IDs of the payments to frank. */
    smallPayments,
    /** IDs of all transactions after the genesis, oldest first, including those of `pay`. The one at [i] is alone in block i + 1. */
    ids: ids as readonly string[],
    /** Unix second at which the NFT transactions began, and the number of transactions before. */
    splitTime,
    earlyCount: Object.keys(early).length,
    pay,
  };
}

/** Amounts in nAVAX and in units of the new asset. */
export const amounts = {
  funding: 20n * oneAvax,
  payment: 3_141_592_653n,
  supply: 10n,
  minted: 90n,
  shared: 2n * oneAvax,
  locked: 5n * oneAvax,
  exported: 123_456_789n,
  imported: oneAvax,
  smallPayments: [33n, 11n, 77n, 22n, 66n, 44n, 55n],
} as const;

export const memo: Uint8Array = Buffer.from('a story');
export const payload: Uint8Array = Buffer.from('a picture');

/** The wallet's address with the prefix of fuji and without a chain alias, as the Data API shows it to clients of fuji. */
export const fujiAddress = (wallet: Wallet): string => bech32Encode('fuji', wallet.bytes);

type Done = (sent: Promise<string>) => Promise<string>;

/** Creates a variable-cap asset: 10 units for its creator, then 90 minted for `to`. */
async function createVariableAsset(node: Node, js: Client, maker: Wallet, to: Wallet, done: Done) {
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
  // The outputs of a new asset come after the change output.
  const mint = await done(
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
  return { asset, mint };
}

/** Creates an NFT asset, mints an NFT for its creator and transfers it to `to`. */
async function createNft(node: Node, js: Client, maker: Wallet, to: Wallet, done: Done) {
  const owner = ownedBy(maker.address);
  const nftAsset = await done(
    createAssetTx(node, maker, {
      name: 'Family',
      symbol: 'NFT',
      denomination: 0,
      initialStates: [{ fxIndex: 1, outputs: [{ kind: 'nftfx.MintOutput', groupID: 1, ...owner }] }],
    }).then(js.issueBytes),
  );
  const nftMint = await done(
    operationTx(node, maker, {
      assetID: parseId(nftAsset),
      inputIDs: [{ txID: parseId(nftAsset), outputIndex: 1 }],
      operation: { kind: 'nftfx.MintOperation', mintInput: { signatureIndices: [0] }, groupID: 1, payload, outputs: [owner] },
    }).then(js.issueBytes),
  );
  const nftTransfer = await done(
    operationTx(node, maker, {
      assetID: parseId(nftAsset),
      inputIDs: [{ txID: parseId(nftMint), outputIndex: 1 }],
      operation: {
        kind: 'nftfx.TransferOperation',
        input: { signatureIndices: [0] },
        output: { groupID: 1, payload, ...ownedBy(to.address) },
      },
    }).then(js.issueBytes),
  );
  return { nftAsset, nftMint, nftTransfer };
}

async function exportToP(js: Client, from: Wallet): Promise<string> {
  const outputs = [avaxOutput(amounts.exported, from)];
  return js.issue(avm.newExportTx(js.context, local.pBlockchainID, [from.bytes], await js.utxos(from), outputs), from);
}

async function importFromP(node: Node, js: Client, to: Wallet): Promise<string> {
  await makeImportable(node, 'P', to.address, amounts.imported);
  const { utxos } = await js.x.getUTXOs({ addresses: [to.addressOn('X')], sourceChain: 'P' });
  return js.issue(avm.newImportTx(js.context, local.pBlockchainID, utxos, [to.bytes], [to.bytes]), to);
}

/** Waits for the second after the last block, and returns it: later blocks have at least this time. */
async function nextSecond(node: Node): Promise<number> {
  const { height } = await node.call<{ height: string }>('/ext/bc/X', 'avm.getHeight');
  const { block } = await node.call<{ block: { time: number } }>('/ext/bc/X', 'avm.getBlockByHeight', { height, encoding: 'json' });
  while (Date.now() < (block.time + 1) * 1_000) await Bun.sleep((block.time + 1) * 1_000 - Date.now());
  return block.time + 1;
}
