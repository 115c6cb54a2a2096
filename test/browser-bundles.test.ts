import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../src/base/bytes/hash.ts';
import { toHex } from '../src/base/bytes/hex.ts';
import { recoverNative } from '../src/base/crypto/curve-native.ts';
import { recoverSigner } from '../src/base/crypto/recover.ts';
import type * as Codec from '../src/sdk/codec.ts';
import { createNode, type LocalNode } from '../src/sdk/index.ts';
import { browserEntryPoints, portableBytes } from '../tools/build.ts';
import scenario from '../vectors/scenario.json' with { type: 'json' };
import vectors from '../vectors/vectors.json' with { type: 'json' };
import { chromiumBinary, openChromium } from './chromium.ts';
import { type Program, startProgramAsUsers } from './program.ts';

/** `serac/client` and `serac/codec` as a browser gets them. */

const folder = mkdtempSync(join(tmpdir(), 'serac-browser-'));
const source = new URL('../src/', import.meta.url).pathname;
let codec: typeof Codec;
const bundles = new Map<string, string>();
beforeAll(async () => {
  const { outputs } = await Bun.build({
    entrypoints: browserEntryPoints.map((entry) => source + entry),
    root: source,
    outdir: folder,
    target: 'browser',
    minify: true,
    plugins: [portableBytes],
  });
  for (const output of outputs) bundles.set(output.path.slice(folder.length + 1), await Bun.file(output.path).text());
  codec = await import(join(folder, 'sdk/codec.js'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('they import nothing, use no Buffer, and are small', () => {
  const limits: { readonly [file: string]: number } = { 'sdk/client.js': 27_000, 'sdk/codec.js': 110_000 };
  expect([...bundles.keys()].sort()).toEqual(Object.keys(limits));
  for (const [file, text] of bundles) {
    process.stdout.write(`${file}: ${text.length} bytes, gzip ${Bun.gzipSync(Buffer.from(text)).length}\n`);
    expect(text).not.toMatch(/(?<!")\bimport\s*[{*"'(]|\brequire\(|["'`]node:|\bBuffer\.|\bprocess\./);
    expect(text.length).toBeLessThan(limits[file]!);
  }
});

test('docs/reference/library.md gives their sizes as they are transferred', async () => {
  const page = await Bun.file(new URL('../docs/reference/library.md', import.meta.url).pathname).text();
  const written = [...page.matchAll(/^\| `serac\/(\w+)` .* (\d+) kB with gzip \|$/gm)].map(([, name, size]) => [
    `sdk/${name}.js`,
    Number(size),
  ]);
  const measured = [...bundles].map(([file, text]) => [file, Math.round(Bun.gzipSync(Buffer.from(text)).length / 1000)]);
  expect(written).toEqual(measured);
});

describe('the codec gives the bytes of AvalancheGo', () => {
  const raw = (hex: string) => Uint8Array.from(Buffer.from(hex.slice(2), 'hex'));

  test('transactions, blocks and outputs: decoded, shown as JSON and encoded again', () => {
    const context = codec.createJsonContext('X', 'local');
    for (const { signedHex, txID, json } of vectors.txs) {
      const tx = codec.parseTxText(signedHex);
      expect([codec.idText(tx.id), codec.formatTx(tx)]).toEqual([txID, signedHex]);
      expect(codec.formatTx(codec.makeTx(tx.unsigned, tx.credentials))).toBe(signedHex);
      expect(JSON.parse(codec.txJson(tx, context))).toEqual(json);
    }
    for (const { hex, id } of vectors.blocks) expect(codec.idText(codec.parseBlockText(hex).id)).toBe(id);
    for (const { hex, utxoID } of vectors.utxos) {
      const { id, txID, outputIndex, assetID, output } = codec.parseUtxoText(hex);
      expect(codec.idText(id)).toBe(utxoID);
      expect(codec.formatHex('hex', codec.makeUtxo(txID, outputIndex, assetID, output).bytes)).toBe(hex);
    }
  });

  test('signatures of every kind of transaction', () => {
    const keys = [...vectors.keys, ...Object.values(scenario.keys)].map(({ privateKeyHex }) => codec.parseKey(privateKeyHex));
    const kinds = new Set<string>();
    for (const { signedHexNC } of vectors.txs) {
      const tx = codec.parseTx(raw(signedHexNC));
      const hash = sha256(codec.unsignedBytes(tx));
      const signers = tx.credentials.map((credential) =>
        (credential as { signatures: Uint8Array[] }).signatures.map((signature) => {
          const address = recoverSigner(recoverNative, hash, signature);
          return keys.find((key) => key.address === address) as Codec.Key;
        }),
      );
      expect(`0x${toHex(codec.sign(tx.unsigned, signers).bytes)}`).toBe(signedHexNC);
      kinds.add(tx.unsigned.kind);
    }
    expect([...kinds].sort()).toEqual(['BaseTx', 'CreateAssetTx', 'ExportTx', 'ImportTx', 'OperationTx']);
  });

  test('texts of keys and addresses', () => {
    for (const { privateKey, privateKeyHex, addressBytes, xLocal } of vectors.keys) {
      const key = codec.parseKey(privateKey);
      expect([codec.formatSecret(key.secret), `0x${key.address}`]).toEqual([privateKey, addressBytes]);
      expect(codec.parseKey(privateKeyHex).address).toBe(key.address);
      expect(codec.parseAddress(xLocal)).toBe(key.address);
    }
    expect(() => codec.parseAddress('X-local1qurswpc8qurs')).toThrow();
    expect(() => codec.parseKey('PrivateKey-6Y3kysjF9jnHnYkdS9yGAuoHyae2eNmeV')).toThrow('32 bytes');
  });
});

test('a node accepts every kind of transaction and operation that the codec builds', async () => {
  await using node = await createNode();
  const { issue, wallet, utxos, find } = await openWallet(node);
  const owners = codec.ownedBy(wallet.keys);
  const other = codec.ownedBy([codec.parseAddress(node.accounts[2]!.address)]);
  const { feeAsset } = wallet.chainParams;
  const draft = async (build: (funds: Codec.Funds) => Codec.Draft) => issue(codec.signDraft(build({ utxos: await utxos() })));

  await draft((funds) => codec.baseTx(wallet, { ...funds, memo: new TextEncoder().encode('memo') }, [codec.transfer(feeAsset, 5n, other)]));
  const states = [
    {
      fxIndex: 0,
      outputs: [
        { kind: 'secp256k1fx.TransferOutput', amount: 7n, ...owners } as const,
        { kind: 'secp256k1fx.MintOutput', ...owners } as const,
      ],
    },
    { fxIndex: 1, outputs: [{ kind: 'nftfx.MintOutput', groupID: 0, ...owners } as const] },
    { fxIndex: 2, outputs: [{ kind: 'propertyfx.MintOutput', ...owners } as const] },
  ];
  await draft((funds) => codec.createAsset(wallet, funds, { name: 'All', symbol: 'ALL', denomination: 2, states }));
  const [token, nft, property] = await Promise.all([
    find('secp256k1fx.MintOutput'),
    find('nftfx.MintOutput'),
    find('propertyfx.MintOutput'),
  ]);
  await draft((funds) => codec.mint(wallet, funds, token, 100n, other));
  await draft((funds) => codec.nftMint(wallet, funds, nft, Uint8Array.of(1, 2), [owners]));
  const minted = await find('nftfx.TransferOutput');
  await draft((funds) => codec.nftTransfer(wallet, funds, minted, other));
  await draft((funds) => codec.propertyMint(wallet, funds, property, owners));
  const owned = await find('propertyfx.OwnedOutput');
  await draft((funds) => codec.propertyBurn(wallet, funds, owned));
  const chain = codec.parseId((await node.info.getBlockchainID('P')).blockchainID);
  await draft((funds) => codec.exportTx(wallet, funds, chain, [codec.transfer(feeAsset, 9n, other)]));
  await node.dev.atomicDeposit({ from: 'P', to: node.accounts[1]!.address, amount: '3 AVAX' });
  const { utxos: deposited } = await node.avm.getUTXOs({ addresses: [node.accounts[1]!.address], sourceChain: 'P' });
  await draft((funds) => codec.importTx(wallet, funds, chain, deposited.map(codec.parseUtxoText)));
  const { balances } = await node.avm.getAllBalances(node.accounts[2]!.address);
  expect(balances.map(({ balance }) => balance).sort()).toEqual([100n, 10_000_000_000_005n].sort());
  expect((await node.avm.getHeight()).height).toBe(10);
});

async function openWallet(node: LocalNode) {
  const [, account] = node.accounts;
  const wallet: Codec.Wallet = { keys: [codec.parseKey(account!.privateKey)], chainParams: await codec.readChainParams(node) };
  const utxos = async () => (await node.avm.getUTXOs([account!.address])).utxos.map(codec.parseUtxoText);
  return {
    wallet,
    utxos,
    find: async (kind: string) => (await utxos()).find(({ output }) => output.kind === kind) as Codec.Utxo,
    /** Issues a transaction and waits until it is accepted. */
    issue: async (tx: Codec.Tx): Promise<void> => {
      const { height } = await node.avm.getHeight();
      const { txID } = await node.avm.issueTx(codec.formatTx(tx));
      expect(txID).toBe(codec.idText(tx.id));
      for await (const event of node.events({ kind: 'tx' })) if (event.kind === 'tx' && event.txID === txID) break;
      expect((await node.avm.getHeight()).height).toBe(height + 1);
    },
  };
}

const binary = chromiumBinary();

describe.skipIf(binary === undefined)('Chromium', () => {
  let program: Program;
  beforeAll(async () => {
    program = await startProgramAsUsers();
  });
  afterAll(() => program.stop());

  test('a page signs a transfer with the codec, issues it with the client, and sees it in the events', async () => {
    const page = await openChromium(binary!);
    try {
      // A page of the same origin without a content security policy.
      await page.open(`${program.url}/ready`);
      const load = (file: string) =>
        `await import(URL.createObjectURL(new Blob([${JSON.stringify(bundles.get(file))}], { type: 'text/javascript' })))`;
      const seen = await page.run<{ issued: string; event: string; change: string; error: string }>(`(async () => {
        const { createClient } = ${load('sdk/client.js')};
        const codec = ${load('sdk/codec.js')};
        const node = createClient({ url: location.origin });
        const [key, to] = codec.keysOfMnemonic('test test test test test test test test test test test junk', 2);
        const format = codec.createAddressFormatter('X', 'local');
        const wallet = { keys: [key], chainParams: await codec.readChainParams(node) };
        const { utxos } = await node.avm.getUTXOs([format(key.address)]);
        const draft = codec.baseTx(wallet, { utxos: utxos.map(codec.parseUtxoText) }, [codec.transfer(wallet.chainParams.feeAsset, 5n, codec.ownedBy([to]))]);
        const events = node.events({ address: format(to.address), kind: 'tx' });
        await events.ready;
        const { txID: issued } = await node.avm.issueTx(codec.formatTx(codec.signDraft(draft)));
        const { code: error } = await node.avm.getTx('nonsense').catch((error) => error);
        for await (const { txID: event, balanceChanges } of events)
          return { issued, event, change: String(balanceChanges.find(({ address }) => address === format(to.address)).change), error };
      })()`);
      expect(seen).toEqual({ issued: seen.issued, event: seen.issued, change: '5', error: 'RPC_BAD_ARGUMENT' });
    } finally {
      await page.close();
    }
  });
});
