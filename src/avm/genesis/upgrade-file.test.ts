import { expect, test } from 'bun:test';
import { idText, zeroId } from '../../base/bytes/id.ts';
import { getNetwork } from '../network.ts';
import { parseUpgradeFile } from './upgrade-file.ts';

const fuji = getNetwork(5).upgrades;
const fileOf = (upgrades: object) => JSON.stringify({ ...upgrades, cortinaXChainStopVertexID: idText(fuji.cortinaXChainStopVertexID) });

test("AvalancheGo's upgrades of a network are read back, as info.upgrades shows them", () => {
  expect(parseUpgradeFile(fileOf(fuji))).toEqual(fuji);
});

test('what a file leaves out is zero, as in AvalancheGo, and not the value of the network', () => {
  const upgrades = parseUpgradeFile('{"durangoTime":"2030-01-01T00:00:00Z"}');
  expect(upgrades.durangoTime).toBe('2030-01-01T00:00:00Z');
  expect([upgrades.graniteTime, upgrades.graniteEpochDuration, upgrades.cortinaXChainStopVertexID]).toEqual([
    '0001-01-01T00:00:00Z',
    0,
    zeroId,
  ]);
});

test('wrong values are refused, and the message names the field', () => {
  expect(() => parseUpgradeFile('{')).toThrow('could not unmarshal upgrade file JSON');
  expect(() => parseUpgradeFile('{"durangoTime":"soon"}')).toThrow('durangoTime: must be a time such as');
  expect(() => parseUpgradeFile('{"cortinaXChainStopVertexID":"abc"}')).toThrow('cortinaXChainStopVertexID: ');
  expect(() => parseUpgradeFile('{"graniteEpochDuration":"5s"}')).toThrow('graniteEpochDuration: must be an integer');
});
