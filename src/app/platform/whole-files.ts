import { constants, openAsBlob } from 'node:fs';
import { access, open, rename, rm, stat } from 'node:fs/promises';

/** The contents of a file as a stream; undefined if it cannot be read, or is a folder. */
export async function readBlob(path: string): Promise<Blob | undefined> {
  try {
    // When Bun opens a file, it reports neither that it is missing nor that it is a folder.
    await access(path, constants.R_OK);
    if ((await stat(path)).isDirectory()) return undefined;
    return await openAsBlob(path);
  } catch {
    return undefined;
  }
}

/** Writes chunks to a file beside the given one, then renames it, so that a failure leaves the old file. Returns its size. */
export async function replaceFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const draft = `${path}.part`;
  const file = await open(draft, 'w');
  let size = 0;
  try {
    for await (const chunk of chunks) {
      // The last space of a full disk takes a part of a chunk; only the next write fails.
      for (let done = 0; done < chunk.length; ) done += (await file.write(chunk, done)).bytesWritten;
      size += chunk.length;
    }
    await file.sync();
    await rename(draft, path);
    return size;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
