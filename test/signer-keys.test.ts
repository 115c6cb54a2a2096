import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/app/platform/bun/database.ts';
import { bech32Encode } from '../src/base/bytes/bech32.ts';
import { hash160 } from '../src/base/bytes/hash.ts';
import { createNode } from '../src/sdk/create-node.ts';

test('a node stores the public keys of the signers of accepted transactions, and the Data API shows them', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'serac-signer-keys-'));
  try {
    const node = await createNode({ dataDir });
    const [first, second] = node.accounts;
    await node.dev.send({ to: second?.address as string, amount: 5n });
    const { txID } = await node.dev.send({ from: second?.address as string, to: first?.address as string, amount: 7n });
    const response = await node.fetch(`/v1/networks/local/blockchains/x-chain/transactions/${txID}`);
    const { consumedUtxos } = (await response.json()) as { consumedUtxos: { credentials: { publicKey: string }[] }[] };
    await node.close();
    const db = openDatabase(join(dataDir, 'db', 'serac.sqlite'), { readonly: true });
    const rows = db.prepare<{ address: Uint8Array; public_key: Uint8Array }>('SELECT address, public_key FROM signer_key').all();
    db.close();
    const stored = new Map(rows.map(({ address, public_key }) => [`X-${bech32Encode('local', address)}`, public_key]));
    expect([...stored.keys()].sort()).toEqual([first?.address as string, second?.address as string].sort());
    for (const { address, public_key } of rows) expect(hash160(public_key)).toEqual(address);
    const shown = consumedUtxos.map(({ credentials }) => credentials[0]?.publicKey);
    expect(new Set(shown)).toEqual(new Set([Buffer.from(stored.get(second?.address as string) as Uint8Array).toString('base64')]));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
