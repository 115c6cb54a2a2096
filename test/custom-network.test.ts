import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bech32Decode, bech32Encode } from '../src/base/bytes/bech32.ts';
import { runProgram, startProgram } from './program.ts';

/** A custom network from a genesis file in AvalancheGo's JSON format. */

const folder = mkdtempSync(join(tmpdir(), 'serac-custom-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const local = await Bun.file(new URL('../src/avm/genesis/data/local.json', import.meta.url)).text();

const toCustomHrp = (text: string) => {
  const { bytes } = bech32Decode(text.slice(2));
  return `X-${bech32Encode('custom', bytes)}`;
};

test('ids and balances come from the genesis file', async () => {
  const path = join(folder, 'genesis.json');
  writeFileSync(path, local.replace('12345', '4242').replaceAll(/X-local1[0-9a-z]+/g, toCustomHrp));
  const node = await startProgram('--network-id=4242', `--genesis-file=${path}`);
  const address = toCustomHrp('X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u');
  expect(await node.client.call('/ext/bc/X', 'avm.getBalance', { address, assetID: 'AVAX' })).toMatchObject({
    result: { balance: '300000000000000000' },
  });
  const { result } = (await node.client.call('/ext/info', 'info.getBlockchainID', { alias: 'X' })) as { result?: { blockchainID: string } };
  expect(await node.client.call(`/ext/bc/${result?.blockchainID}`, 'avm.getHeight')).toMatchObject({ result: { height: '0' } });
  expect(await node.client.call('/ext/dev', 'dev.addAtomicUTXO', { sourceChain: 'P', utxo: '0x' })).toMatchObject({
    error: { message: 'input string is smaller than the checksum size' },
  });
  await node.stop();
});

test('a genesis file with an invalid address is rejected, and the error names the field', async () => {
  const path = join(folder, 'wrong.json');
  writeFileSync(path, local.replace('12345', '4242').replaceAll(/X-local1/g, 'X-custom1'));
  const { code, err } = await runProgram('--network-id=4242', `--genesis-file=${path}`, '--http-port=0', '--silent');
  expect(code).toBe(1);
  expect(err).toContain('allocations');
});

test('an unknown network without a genesis file has the local genesis with its own network id', async () => {
  const node = await startProgram('--network-id=4242');
  const { result } = (await node.client.call('/ext/info', 'info.getBlockchainID', { alias: 'X' })) as { result?: { blockchainID: string } };
  expect(result?.blockchainID).not.toBe('2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed');
  expect(await node.client.call('/ext/info', 'info.getNetworkName')).toMatchObject({ result: { networkName: 'network-4242' } });
  const { result: balance } = (await node.client.call('/ext/bc/X', 'avm.getBalance', {
    address: '6Y3kysjF9jnHnYkdS9yGAuoHyae2eNmeV',
    assetID: 'AVAX',
  })) as {
    result?: { balance: string };
  };
  expect(balance?.balance).toBe('300000000000000000');
  await node.stop();
});
