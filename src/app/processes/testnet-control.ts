import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { connectToSocket, hasSocket, listenOnSocket } from '../platform/local-socket.ts';

type TestnetFault =
  | { readonly code: 'TESTNET_NOT_FOUND' }
  | { readonly code: 'TESTNET_AMBIGUOUS'; readonly folders: readonly string[] }
  | { readonly code: 'TESTNET_REFUSED'; readonly reason: string }
  /** Of the library: the testnet could not start, or was not ready in time. */
  | { readonly code: 'TESTNET_FAILED'; readonly reason: string };

/** An order to a running testnet cannot be carried out. */
export class TestnetError extends Fault<TestnetFault> {}

/** What a command asks of the process that runs the nodes of a testnet. */
export const orderKinds = ['kill', 'freeze', 'partition', 'latency', 'heal', 'add', 'remove'] as const;

export type Order = {
  readonly kind: (typeof orderKinds)[number];
  readonly nodes: readonly number[];
  /** Of `latency`. */
  readonly milliseconds?: number;
};

/** A node of a testnet, as other processes see it. */
export type NodeFacts = {
  readonly node: number;
  readonly kind: 'Serac' | 'AvalancheGo';
  readonly nodeID: string;
  readonly url: string;
  readonly stakingAddress: string;
  readonly dataDir: string;
};

/** `text` says what was done; `refused` why nothing was. `added`: the new node. */
export type Outcome = { readonly text: string; readonly added?: NodeFacts } | { readonly refused: string };
type Done = Extract<Outcome, { readonly text: string }>;

/** The start of the name of a folder that a testnet removes at its end. */
const temporaryPrefix = 'serac-testnet-';
/** An empty file in such a folder: a folder that a user named is never removed, whatever its name is. */
const temporaryMark = 'temporary';

/** Creates the folder of a testnet that ends with it. */
export function createTemporaryFolder(tempFolder: string): string {
  const folder = mkdtempSync(join(tempFolder, temporaryPrefix));
  writeFileSync(join(folder, temporaryMark), '');
  return folder;
}

/** Bytes of one order or outcome, and milliseconds for it. */
const maxLine = 65_536;
const orderTimeout = 60_000;

/** Takes orders over a socket in the folder of a testnet, which only its owner can open. Returns a function that ends it. */
export async function takeOrders(folder: string, carryOut: (order: Order) => Promise<Outcome>): Promise<() => void> {
  return listenOnSocket(folder, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.setTimeout(orderTimeout, () => socket.destroy());
    void answer(socket, carryOut);
  });
}

async function answer(socket: Socket, carryOut: (order: Order) => Promise<Outcome>): Promise<void> {
  try {
    const line = await readLine(socket);
    if (line === undefined) return;
    socket.end(`${JSON.stringify(await carryOut(parseOrder(line)))}\n`);
  } catch {
    // Not an order.
    socket.destroy();
  }
}

/** Throws if the text is not an order. */
function parseOrder(text: string): Order {
  const { kind, nodes, milliseconds = 0 } = JSON.parse(text) as Order;
  if (!orderKinds.includes(kind) || !nodes.every(Number.isSafeInteger) || !(milliseconds >= 0)) throw new SyntaxError('not an order');
  return { kind, nodes, milliseconds };
}

/** Sends an order to the running testnet: that of the folder, or the only one in temporary folders. Returns what was done. */
export async function sendOrder(order: Order, dataDir: string | undefined, tempFolder: string): Promise<Done> {
  const { socket } = await openOnly(dataDir, tempFolder);
  try {
    socket.write(`${JSON.stringify(order)}\n`);
    const line = await readLine(socket);
    const outcome: Outcome = line === undefined ? { refused: 'the testnet ended before it answered' } : JSON.parse(line);
    if ('text' in outcome) return outcome;
    throw new TestnetError(outcome.refused, { code: 'TESTNET_REFUSED', reason: outcome.refused });
  } finally {
    socket.destroy();
  }
}

/** The folder of the only running testnet in temporary folders. */
export async function findTestnet(tempFolder: string): Promise<string> {
  const { folder, socket } = await openOnly(undefined, tempFolder);
  socket.destroy();
  return folder;
}

/** Connects to the running testnet of a folder, or to the only one in temporary folders. */
async function openOnly(dataDir: string | undefined, tempFolder: string): Promise<OpenTestnet> {
  const folders = dataDir === undefined ? listTemporary(tempFolder) : [dataDir];
  const running = (await Promise.all(folders.filter(hasSocket).map(openTestnet))).filter((one) => one !== undefined);
  const [first, ...others] = running;
  let isFound = false;
  try {
    if (first === undefined)
      throw new TestnetError(
        `no testnet runs ${dataDir === undefined ? 'in a temporary folder; name the folder of another with --data-dir DIR' : `in ${dataDir}; start one with serac testnet 3 --data-dir ${dataDir}`}`,
        { code: 'TESTNET_NOT_FOUND' },
      );
    if (others.length > 0) {
      const names = running.map(({ folder }) => folder);
      const message = `several testnets run; name the folder of one with --data-dir: ${names.join(', ')}`;
      throw new TestnetError(message, { code: 'TESTNET_AMBIGUOUS', folders: names });
    }
    isFound = true;
    return first;
  } finally {
    for (const { socket } of isFound ? others : running) socket.destroy();
  }
}

type OpenTestnet = { readonly folder: string; readonly socket: Socket };

/** Connects to the testnet of a folder; undefined if its process was killed. A temporary folder that such a process left is removed. */
async function openTestnet(folder: string): Promise<OpenTestnet | undefined> {
  const socket = connectToSocket(folder);
  const failure = await new Promise<{ code?: string } | undefined>((resolve) =>
    socket.once('connect', () => resolve(undefined)).once('error', resolve),
  );
  if (failure === undefined) return { folder, socket };
  if (failure.code === 'ECONNREFUSED' && existsSync(join(folder, temporaryMark))) removeFolder(folder);
  return undefined;
}

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // A node that has not noticed the end of its testnet yet still writes: the next order removes the folder.
  }
}

const listTemporary = (tempFolder: string): string[] =>
  readdirSync(tempFolder)
    .filter((name) => name.startsWith(temporaryPrefix))
    .map((name) => join(tempFolder, name));

/** The first line that a socket sends; undefined if it ends before, or is closed because the line is too long. What follows the line is not read. */
function readLine(socket: Socket): Promise<string | undefined> {
  let text = '';
  return new Promise((resolve) => {
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) {
        socket.pause();
        resolve(text.slice(0, end));
      } else if (text.length > maxLine) socket.destroy();
    });
    socket.once('close', () => resolve(undefined));
  });
}
