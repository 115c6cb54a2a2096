/**
 * Modules of the runtime that are loaded when they are first used. Together they take 11 ms of a start on Bun, and most starts need none of
 * them before the first request.
 */

// biome-ignore lint/style/noRestrictedGlobals: the only way to load a module of the runtime inside a function that is not async.
const load = process.getBuiltinModule;

export const zlib = (): typeof import('node:zlib') => load('node:zlib');
export const childProcess = (): typeof import('node:child_process') => load('node:child_process');
export const util = (): typeof import('node:util') => load('node:util');
export const fileSystem = (): typeof import('node:fs') => load('node:fs');

/** CRC-32. Bun has it outside of zlib, which takes 3 ms of a start. */
export const crc32 = (bytes: Uint8Array): number => {
  crc32OfRuntime ??= (load('bun') as unknown as typeof import('bun') | undefined)?.hash.crc32 ?? zlib().crc32;
  return crc32OfRuntime(bytes);
};
let crc32OfRuntime: ((bytes: Uint8Array) => number) | undefined;

/** Calls of libraries of the system; undefined on Node, which cannot call them. */
export const bunFfi = (): typeof import('bun:ffi') | undefined => load('bun:ffi') as unknown as typeof import('bun:ffi') | undefined;

/** The version of an IP address, 4 or 6; 0 for other text. As `isIP` of node:net, which is loaded for IPv6 only. */
export const ipVersion = (text: string): 0 | 4 | 6 =>
  text.includes(':') ? (load('node:net').isIP(text) as 0 | 4 | 6) : isDottedQuad.test(text) ? 4 : 0;

const isDottedQuad = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
