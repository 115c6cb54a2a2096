import { parentPort } from 'node:worker_threads';
import { buildDocs } from './docs-build.ts';
import { packDocs } from './docs-files.ts';

/**
 * Entry point of the worker thread that builds the documentation site in a clone: the first reader of a page waits half a second for it, and
 * no other request does. Each message is answered with the packed files.
 */
parentPort?.on('message', async () => parentPort?.postMessage(packDocs(await buildDocs({ isServed: true }))));
