import { parquetHeader } from 'hyparquet/src/column.js';
import { PreviewRefusal } from '../../reading/refusal.ts';
import { endOfStruct } from './thrift.ts';

/** The largest page that is decoded. A page can only be decoded as a whole. */
export const pageBytesMax = 32 * 1024 * 1024;
const pageValuesMax = 2_000_000;
/** Bound for encodings in which each value may repeat the whole previous value. */
const repeatingBytesMax = 256 * 1024 * 1024;

export interface WholePages {
  /** The length of the wanted pages that are complete in the bytes. */
  byteLength: number;
  /**
   * The number of rows in these pages. For a column with lists it is the number of values, because only decoding gives
   * the rows.
   */
  rows: number;
}

/**
 * Finds the pages that are complete in the beginning of a column chunk. Checks every size in a page header before the
 * decoder reserves memory for it. Throws PreviewRefusal.
 */
export function findWholePages(beginning: Uint8Array, rowsWanted: number): WholePages {
  const view = new DataView(beginning.buffer, beginning.byteOffset, beginning.byteLength);
  let at = 0;
  let rows = 0;
  while (at < beginning.byteLength && rows < rowsWanted) {
    const headerEnd = endOfStruct(beginning, at);
    if (headerEnd === undefined) break;
    const header = parquetHeader({ view, offset: at });
    const { compressed_page_size: length, uncompressed_page_size: lengthInside } = header;
    if (!isCount(length) || !isCount(lengthInside)) throw new PreviewRefusal('damaged');
    if (lengthInside > pageBytesMax) throw new PreviewRefusal('too-large-inside');
    if (headerEnd + length > beginning.byteLength) break;
    const data = header.data_page_header_v2 ?? header.data_page_header;
    const values = (data ?? header.dictionary_page_header)?.num_values ?? 0;
    if (!isCount(values)) throw new PreviewRefusal('damaged');
    const isRepeating = data?.encoding === 'DELTA_BYTE_ARRAY' && values * lengthInside > repeatingBytesMax;
    if (values > pageValuesMax || isRepeating) throw new PreviewRefusal('too-large-inside');
    if (data !== undefined) rows += header.data_page_header_v2?.num_rows ?? values;
    at = headerEnd + length;
  }
  return { byteLength: at, rows };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
