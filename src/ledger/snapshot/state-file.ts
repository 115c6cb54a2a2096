import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { zlib } from '../../base/bytes/runtime-modules.ts';
import { Fault } from '../../base/fault.ts';

/**
 * A state file: a line with its format, a line of JSON with what it holds, a SQLite database with the chains' tables (see state-copy.ts)
 * compressed by gzip, and the SHA-256 of all bytes before. The clock and the labels are in the line of JSON. Snapshots, mempool and secrets are not in it.
 */
export type StateHeader = {
  readonly network: number;
  /** ID of the X-Chain, which depends on its genesis. */
  readonly genesis: string;
  /** Versions of the schema, by name. */
  readonly versions: { readonly [name: string]: number };
  /** The version of the program that saved it; files of version 0.1.0 and before have none. */
  readonly savedBy?: string | undefined;
  readonly chains: readonly { readonly id: string; readonly height: number; readonly blockID: string }[];
  /** The state of the chain's clock; undefined in files of older versions. Not checked here. */
  readonly clock?: unknown;
  /** Names by address; undefined if there are none, and in files of older versions. Not checked here. */
  readonly labels?: unknown;
};

/** The format of state files, in their first line. */
export const stateFileVersion = 1;

const firstLine = `serac state ${stateFileVersion}\n`;
const hashSize = 32;
/** A thousand labels of 64 characters have 300 kB. */
const maxHeaderSize = 524_288;

/** Encodes a database file, given in chunks, as a state file. */
export async function* encodeStateFile(header: StateHeader, database: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  const start = Buffer.from(`${firstLine}${JSON.stringify(header)}\n`);
  hash.update(start);
  yield start;
  // Level 1 makes the file a tenth larger than the default, in a third of the time.
  const compress = zlib().createGzip({ level: 1 });
  // An error of `database` ends the loop below, which reports it.
  pipeline(Readable.from(database), compress).catch(() => undefined);
  for await (const chunk of compress) {
    hash.update(chunk as Uint8Array);
    yield chunk as Uint8Array;
  }
  yield hash.digest();
}

type StateSink = {
  /** Called once, before the first `write`; throws if the file cannot be loaded here. */
  readonly onHeader: (header: StateHeader) => void;
  /** Receives the database in chunks. It must not be used before `decodeStateFile` resolves: the checksum is at the end. */
  readonly write: (chunk: Uint8Array) => void;
  /** Limit of the database in bytes. */
  readonly maxBytes: number;
};

/** Decodes a state file that arrives in chunks, with little memory. Throws a fault if it is damaged, foreign or too large. */
export async function decodeStateFile(chunks: AsyncIterable<Uint8Array>, { onHeader, write, maxBytes }: StateSink): Promise<void> {
  const hash = createHash('sha256');
  let [rest, hasHeader, size]: [Buffer, boolean, number] = [Buffer.alloc(0), false, 0];

  /** The compressed database: what follows the header, without the last bytes, which are the checksum. */
  async function* compressed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of joinLines(chunks)) {
      rest = Buffer.concat([rest, chunk]);
      if (!hasHeader) {
        const end = findHeaderEnd(rest);
        if (end === undefined) continue;
        hash.update(rest.subarray(0, end));
        onHeader(parseHeader(rest.subarray(firstLine.length, end)));
        rest = rest.subarray(end);
        hasHeader = true;
      }
      const ready = rest.subarray(0, Math.max(0, rest.length - hashSize));
      rest = rest.subarray(ready.length);
      if (ready.length === 0) continue;
      hash.update(ready);
      yield ready;
    }
    if (!hasHeader && !isStart(rest)) throw foreignError();
    if (!hasHeader || rest.length < hashSize) throw damagedError('it ends early');
  }

  const decompress = zlib().createGunzip();
  try {
    await pipeline(compressed, decompress, async (database: AsyncIterable<Buffer>) => {
      for await (const chunk of database) {
        size += chunk.length;
        if (size > maxBytes) throw tooLargeError(maxBytes);
        write(chunk);
      }
    });
  } catch (error) {
    const reason = (error as { code?: unknown } | null)?.code;
    throw typeof reason === 'string' && reason.startsWith('Z_') ? damagedError('its compressed part is not valid') : error;
  }
  if (!hash.digest().equals(rest)) throw damagedError('its checksum is wrong');
}

/** Joins small chunks until a line ends, so that a long header in small chunks is not copied again with each. */
async function* joinLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    pieces.push(chunk);
    size += chunk.length;
    if (size < minJoined && !chunk.includes(lineEnd)) continue;
    yield Buffer.concat(pieces);
    [pieces, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(pieces);
}

const minJoined = 65_536;
const lineEnd = 0x0a;

const isStart = (bytes: Buffer): boolean => firstLine.startsWith(bytes.toString('latin1', 0, firstLine.length));

/** Returns the end of the header; undefined if more bytes are needed. Throws if the bytes are not the beginning of a state file. */
function findHeaderEnd(bytes: Buffer): number | undefined {
  if (!isStart(bytes)) {
    const version = /^serac state (\d{1,9})\n/.exec(bytes.toString('latin1', 0, 32))?.[1];
    throw version === undefined ? foreignError() : otherVersionError({ format: Number(version) }, { format: 1 }, undefined);
  }
  const end = bytes.length < firstLine.length ? -1 : bytes.indexOf('\n', firstLine.length);
  if (end < 0 && bytes.length > maxHeaderSize) throw damagedError('its header does not end');
  return end < 0 ? undefined : end + 1;
}

function parseHeader(line: Buffer): StateHeader {
  try {
    const { network, genesis, versions, savedBy, chains, clock, labels } = JSON.parse(line.toString('utf8')) as StateHeader;
    const isSavedByKnown = typeof savedBy === 'string' && /^[\w.+-]{1,64}$/.test(savedBy);
    const areVersions = Object.values(versions ?? [undefined]).every((version) => typeof version === 'number');
    if (typeof network === 'number' && typeof genesis === 'string' && areVersions && Array.isArray(chains))
      return { network, genesis, versions, savedBy: isSavedByKnown ? savedBy : undefined, chains, clock, labels };
  } catch {
    throw damagedError('its header is not JSON');
  }
  throw damagedError('its header is incomplete');
}

/**
 * Throws unless a state file with this header can be loaded by a node that would write `own`. Returns the version of its index if that is an
 * earlier one, from which it must be migrated.
 */
export function checkHeader(header: StateHeader, own: Pick<StateHeader, 'network' | 'genesis' | 'versions'>): number | undefined {
  if (header.network !== own.network || header.genesis !== own.genesis)
    throw new StateFileError(
      `the state file belongs to network ${header.network} with X-Chain ${header.genesis}, this node is on network ${own.network} with X-Chain ${own.genesis}`,
      { code: 'STATE_FILE_OTHER_NETWORK', stored: header.genesis, wanted: own.genesis },
    );
  if (versionText(header.versions) === versionText(own.versions)) return undefined;
  const earlier = earlierIndexVersion(header.versions, own.versions);
  if (earlier === undefined) throw otherVersionError(header.versions, own.versions, header.savedBy);
  return earlier;
}

/** The version of the index, if it is an earlier one for all chains and everything else is the same. */
function earlierIndexVersion(stored: Versions, wanted: Versions): number | undefined {
  const version = stored.index;
  if (version === undefined || !Number.isSafeInteger(version) || version < 1 || version >= (wanted.index ?? 0)) return undefined;
  const expected = Object.fromEntries(Object.entries(wanted).map(([name, value]) => [name, name.startsWith('index') ? version : value]));
  return versionText(stored) === versionText(expected) ? version : undefined;
}

const versionText = (versions: StateHeader['versions']): string =>
  Object.entries(versions)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');

type StateFileFault =
  | { code: 'STATE_FILE_DAMAGED' }
  | { code: 'STATE_FILE_FOREIGN' }
  | { code: 'STATE_FILE_OTHER_VERSION'; stored: string; wanted: string }
  | { code: 'STATE_FILE_OTHER_NETWORK'; stored: string; wanted: string }
  | { code: 'STATE_FILE_OTHER_CHAINS' }
  | { code: 'STATE_FILE_TOO_LARGE'; max: number }
  | { code: 'STATE_FILE_MISSING'; path: string }
  | { code: 'STATE_FILE_NOT_SAVED'; path: string; savedTo?: string };

export class StateFileError extends Fault<StateFileFault> {}

export const damagedError = (reason: string) => new StateFileError(`the state file is damaged: ${reason}`, { code: 'STATE_FILE_DAMAGED' });

const foreignError = () => new StateFileError('this is not a state file of Serac', { code: 'STATE_FILE_FOREIGN' });

type Versions = StateHeader['versions'];

function otherVersionError(versions: Versions, own: Versions, savedBy: string | undefined): StateFileError {
  const [stored, wanted] = [versionText(versions), versionText(own)];
  const by = savedBy === undefined ? '' : ` (saved by serac ${savedBy})`;
  return new StateFileError(`the state file has ${stored}${by}, this node needs ${wanted}; ${remedyFor(versions, own)}`, {
    code: 'STATE_FILE_OTHER_VERSION',
    stored,
    wanted,
  });
}

/** What a user can do with a state file of other versions, which cannot be migrated. */
function remedyFor(stored: Versions, wanted: Versions): string {
  const has = (name: string) => [name in stored, name in wanted] as const;
  const [isFork, wantsFork] = has('fork');
  if (isFork !== wantsFork)
    return isFork
      ? 'it was saved by a fork: start this node with --fork-url'
      : 'it was not saved by a fork: start this node without --fork-url';
  const [hasIndex, wantsIndex] = has('index');
  if (hasIndex !== wantsIndex)
    return `it was saved ${hasIndex ? 'with' : 'without'} the Data and Metrics APIs: start this node with the same --data-api-enabled and --metrics-api-enabled`;
  const differing = Object.keys(stored).filter((name) => stored[name] !== wanted[name]);
  if (differing.some((name) => (stored[name] ?? 0) > (wanted[name] ?? 0)))
    return 'it was saved by a later version of Serac: use that version';
  return 'it was saved by an earlier version of Serac, and only that version can load it';
}

const tooLargeError = (max: number) =>
  new StateFileError(`the state file holds more than ${max} bytes; use a data directory for a chain of this size`, {
    code: 'STATE_FILE_TOO_LARGE',
    max,
  });
