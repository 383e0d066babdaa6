import { DeleteObjectCommand, ListObjectVersionsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededUsers, seedNames } from '../../../lib/local/seed.ts';
import { chromiumPath, launchChromium } from '../../service/chromium.ts';
import { s3Client, signIn } from '../../service/data-clients.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { openView, signedInPage } from '../../service/signed-in-page.ts';

// Creates, cites, verifies, and withdraws a version of the seeded data set, by clicks in the console.

const { organization_id: bucket, data_repository_id: repository } = seedNames;
const key = 'countries.csv';
let service: SeededService;
let browser: Browser;
let ada: Page;
let before: string;
/** A client that reads the storage directly. */
let storage: S3Client;

const textAt = async (path: string) => (await fetch(`${service.dataUrl}/${bucket}/${path}`)).text();

describe.skipIf(chromiumPath === undefined)('a version of the data set', () => {
  beforeAll(async () => {
    [service, browser] = await Promise.all([
      startSeededService({ users: seededUsers, withDataSet: true }),
      launchChromium(),
    ]);
    ada = await signedInPage(browser, service, 'ada');
    const { endpoint, region, access_key_id, secret_access_key } = service.storage;
    const credentials = { accessKeyId: access_key_id, secretAccessKey: secret_access_key };
    storage = new S3Client({ endpoint, region, forcePathStyle: true, credentials });
    before = await textAt(`${repository}/${key}`);
  });
  afterAll(async () => {
    storage?.destroy();
    await browser?.close();
    await service?.close();
  });

  test('is created in the console, which shows its progress also after a reload', async () => {
    await openView(ada, `${service.apiUrl}/-/console/repositories/${bucket}/${repository}/versions`);
    await ada.getByText('Create a version', { exact: true }).click();
    await ada.getByLabel('Name').fill('v1');
    await ada.getByRole('button', { name: 'Create version' }).click();
    await ada.getByText('waiting for the storage').waitFor();
    await ada.reload();
    await ada.getByText('waiting for the storage').waitFor();
    await service.repositoryJobs.run();
    await ada.getByText('7 files').waitFor();
  });

  test('has the same bytes after every object was overwritten and deleted', async () => {
    const client = s3Client(service, await signIn(service, service.key));
    const at = { Bucket: bucket, Key: `${repository}/${key}` };
    await client.send(new PutObjectCommand({ ...at, Body: 'overwritten' }));
    await client.send(new DeleteObjectCommand(at));
    expect(await textAt(`${repository}@v1/${key}`)).toBe(before);
    await ada.getByRole('link', { name: 'v1', exact: true }).click();
    await ada.getByRole('link', { name: /version=v1$/ }).click();
    await ada.getByText('Its files never change').waitFor();
    await ada.getByRole('link', { name: key, exact: true }).click();
    await ada.frameLocator('.preview-frame').getByText('Fiji', { exact: true }).waitFor();
  });

  test('is cited by a link to its own page', async () => {
    const page = `${service.apiUrl}/${bucket}/${repository}?version=v1`;
    const answer = await fetch(page);
    expect(answer.headers.get('link')).toContain(`<${page}>; rel="cite-as"`);
    expect(await answer.text()).toContain(`${bucket}/${repository}?version=v1`);
  });

  test('shows which file the storage has lost after a verification', async () => {
    const { Versions = [] } = await storage.send(new ListObjectVersionsCommand({ Bucket: service.storage.bucket }));
    const lost = Versions.findLast(({ Key }) => Key?.endsWith(`${repository}/${key}`));
    await storage.send(
      new DeleteObjectCommand({ Bucket: service.storage.bucket, Key: lost?.Key, VersionId: lost?.VersionId }),
    );
    await openView(ada, `${service.apiUrl}/-/console/repositories/${bucket}/${repository}/versions/v1`);
    await ada.getByRole('button', { name: 'Verify this version' }).click();
    await ada.getByText(/Verifying: \d+ files? checked so far/).waitFor();
    await service.repositoryJobs.run();
    await ada.getByText('1 are missing in the storage').waitFor();
    expect(await ada.locator('#verification li').textContent()).toBe(`${key}: missing`);
  });

  test('keeps its page after a withdrawal, with the reason', async () => {
    await ada.getByRole('button', { name: 'Withdraw …' }).click();
    await ada.getByLabel('Reason').fill('Two borders were wrong');
    await ada.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await ada.getByText('withdrawn', { exact: true }).waitFor();
    await ada.getByRole('link', { name: /version=v1$/ }).click();
    await ada.getByText('Two borders were wrong').waitFor();
  });
});
