import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { idText } from '../base/bytes/id.ts';
import { getNetwork, isPublicNetwork, isStandardNetwork } from './network.ts';

const golden = JSON.parse(readFileSync('vectors/genesis.json', 'utf8'));
const info = JSON.parse(readFileSync('vectors/info-health.json', 'utf8'));

describe('as AvalancheGo has them', () => {
  for (const want of golden.networks)
    test(want.network, () => {
      const network = getNetwork(want.networkID);
      const { upgrades, fees } = network;
      expect([network.name, network.hrp]).toEqual([want.network, want.hrp]);
      expect({ ...upgrades, cortinaXChainStopVertexID: idText(upgrades.cortinaXChainStopVertexID) }).toEqual(want.upgrades);
      expect(Object.keys(upgrades)).toEqual(Object.keys(want.upgrades));
      expect({ txFee: `${fees.txFee}`, createAssetTxFee: `${fees.createAssetTxFee}` }).toEqual(
        JSON.parse(JSON.stringify(want.fees), (_, value) => (typeof value === 'object' ? value : `${value}`)),
      );
    });

  test('prefixes by number', () => {
    for (const [id, hrp] of Object.entries(golden.hrpByNetworkID))
      expect(getNetwork(id === 'other' ? 77 : Number(id)).hrp).toBe(hrp as string);
  });

  test('the retired fees of info.getTxFee', () => {
    const capture = info.afterHealthy.find((step: { name: string }) => step.name === 'getTxFee');
    const { fees, retiredFees } = getNetwork(12345);
    const shown = Object.fromEntries(Object.entries({ ...fees, ...retiredFees }).map(([name, value]) => [name, `${value}`]));
    expect(shown).toEqual(capture.responseJSON.result);
  });
});

test('an unknown network is local under its own name', () => {
  const network = getNetwork(1337);
  expect([network.name, network.hrp, network.upgrades === getNetwork(12345).upgrades]).toEqual(['network-1337', 'custom', true]);
});

test('standard and public', () => {
  expect([1, 5, 12345, 7].map(isStandardNetwork)).toEqual([true, true, true, false]);
  expect([1, 5, 12345, 7].map(isPublicNetwork)).toEqual([true, true, false, false]);
});
