import type { BufferedResponse } from '../lib/domain/data/decision.ts';
import { decideObjectRequest } from '../lib/s3/decide.ts';
import { dataFixture, signed } from '../test/lib/s3/data-fixture.ts';

const keys = 1000;

/** Rewrites a storage list of 1,000 objects, the maximum of a page, into the client's list. */
export async function listPageRewrite(): Promise<() => void> {
  const query = { 'list-type': '2', prefix: 'raw-drafts/2026/', 'encoding-type': 'url' };
  const decision = await decideObjectRequest(await signed({ path: '/tide-institute', query }), dataFixture().deps);
  if (decision.kind !== 'relay') throw new Error('a good list was not relayed');
  const page = storagePage();
  return () => {
    const shown = decision.rewrite(page);
    if (shown.status !== 200 || !shown.body.includes(`<KeyCount>${keys}</KeyCount>`))
      throw new Error('a page got lost');
  };
}

/** Returns a list as S3 writes it, with names as long as those of a partitioned data set. */
function storagePage(): BufferedResponse {
  const contents = Array.from({ length: keys }, (_, index) => {
    const key = `hidden/tide-institute/raw-drafts/2026/region%3Dnorth+sea/station%3D${index}/part-0.parquet`;
    const hash = index.toString(16).padStart(32, '0');
    return `<Contents><Key>${key}</Key><LastModified>2026-11-21T10:00:00.000Z</LastModified><ETag>&quot;${hash}&quot;</ETag><ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm><ChecksumType>FULL_OBJECT</ChecksumType><Size>${65_536 + index}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
  });
  const body = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>hidden-bucket</Name><Prefix>hidden/tide-institute/raw-drafts/2026/</Prefix><NextContinuationToken>1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=</NextContinuationToken><KeyCount>${keys}</KeyCount><MaxKeys>1000</MaxKeys><EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>${contents.join('')}</ListBucketResult>`;
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}
