import { parseId, zeroId } from '../../base/bytes/id.ts';
import { parseRfc3339 } from '../../base/bytes/rfc3339.ts';
import type { Upgrades } from '../network.ts';
import { fieldAt, fieldError, integerAt, type JsonNode, parseGenesisJson, stringAt, withPath } from './exact-json.ts';

/** A time that is not in the file: Go's zero time, so the upgrade is active from the start. */
const zeroTime = '0001-01-01T00:00:00Z';

/** Reads AvalancheGo's `--upgrade-file`. What the file leaves out is zero, as in AvalancheGo: config/config.go, getUpgradeConfig. */
export function parseUpgradeFile(json: string): Upgrades {
  const root = parseGenesisJson(json, 'upgrade file');
  const time = (name: keyof Upgrades): string => timeAt(fieldAt(root, name));
  const number = (name: keyof Upgrades): number => Number(integerAt(fieldAt(root, name), BigInt(Number.MAX_SAFE_INTEGER)));
  const stopVertex = fieldAt(root, 'cortinaXChainStopVertexID');
  return {
    apricotPhase1Time: time('apricotPhase1Time'),
    apricotPhase2Time: time('apricotPhase2Time'),
    apricotPhase3Time: time('apricotPhase3Time'),
    apricotPhase4Time: time('apricotPhase4Time'),
    apricotPhase4MinPChainHeight: number('apricotPhase4MinPChainHeight'),
    apricotPhase5Time: time('apricotPhase5Time'),
    apricotPhasePre6Time: time('apricotPhasePre6Time'),
    apricotPhase6Time: time('apricotPhase6Time'),
    apricotPhasePost6Time: time('apricotPhasePost6Time'),
    banffTime: time('banffTime'),
    cortinaTime: time('cortinaTime'),
    cortinaXChainStopVertexID: stringAt(stopVertex) === '' ? zeroId : withPath(stopVertex, () => parseId(stringAt(stopVertex))),
    durangoTime: time('durangoTime'),
    etnaTime: time('etnaTime'),
    fortunaTime: time('fortunaTime'),
    graniteTime: time('graniteTime'),
    graniteEpochDuration: number('graniteEpochDuration'),
    heliconTime: time('heliconTime'),
  };
}

function timeAt(node: JsonNode): string {
  const text = stringAt(node);
  if (text === '') return zeroTime;
  if (parseRfc3339(text) === undefined) throw fieldError(node, 'must be a time such as 2027-01-31T12:00:00Z');
  return text;
}
