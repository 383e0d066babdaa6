import { daySeconds } from './time.ts';

/** All limits and time spans of the service. Each name ends with its unit. */
export const limits = {
  identifierLengthMin: 3,
  identifierLengthMax: 40,
  serviceAccountIdLengthMax: 82,
  profileNameLengthMax: 128,
  profileBioLengthMax: 1024,
  profileLocationLengthMax: 128,
  webUrlLengthMax: 2048,
  apiKeyNameLengthMax: 128,
  serviceAccountDescriptionLengthMax: 256,
  serviceAccountKeyLabelLengthMax: 64,
  repositoryMetaLengthMax: 4096,
  licenseLengthMax: 256,
  /** Maximum length of a title or a name in a citation. A citation shortens longer ones. */
  citedTextLengthMax: 500,
  contactLengthMax: 320,
  keywordsMax: 32,
  keywordLengthMax: 64,
  /** Maximum size of a repository's metadata, as JSON in UTF-8. */
  repositoryMetaBytesMax: 16 * 1024,
  /**
   * Default limit of repositories in one account. An administrator can set another limit, up to `repositoriesEverMax`.
   */
  repositoriesMax: 1000,
  repositoriesEverMax: 10_000,
  accountsCreatedPerDayMax: 10,
  /**
   * Number of times per hour that an account may make data public again. Each change from public to private starts
   * cache invalidations, which cost money.
   */
  reopeningsPerHourMax: 6,
  /**
   * Days for which the service remembers that a path was public earlier. If the path becomes public again in this
   * time, `reopeningsPerHourMax` counts it.
   */
  closedPathRetentionDays: 30,
  /**
   * Minimum number of daily visitors from a country. A repository's visitors from other countries are counted together,
   * as `other`.
   */
  usageCountryVisitorsMin: 5,
  /** Days after which CloudFront's log files are deleted. */
  usageLogRetentionDays: 4,
  /** Days after which the counts of single days are deleted. The job adds these counts to get the counts of a month. */
  usageCountRetentionDays: 62,
  /** Days after the end of a day until its counts are final. */
  usageFinalAfterDays: 2,
  usageDayRetentionDays: 800,
  /**
   * The job counts a day in several shards if its log files are larger than this in total. A log line takes 40 to 80
   * bytes.
   */
  usageShardBytesMax: 2_200_000_000,
  /**
   * The memory of the job's database. Above it, the database writes to the disk. The process needs up to 800 MB more.
   */
  usageDatabaseMb: 1200,
  /** Time after the start of a run in which the job begins to count further shards. */
  usageRunSeconds: 600,
  /** The usage of a repository includes reads under its earlier names, for at most this many transfers. */
  usageTransfersFollowed: 3,
  usageWritesAtOnce: 20,
  /** Maximum number of log files that the job fetches at the same time. */
  usageFilesAtOnce: 20,
  usageWriteMs: 10_000,
  /** Maximum number of days or months in one response. */
  usagePeriodsMax: 100,
  /** Maximum number of files that the usage of a repository lists for a day or a month. */
  usageFilesMax: 100,
  requestBodyBytesMax: 64 * 1024,
  listPageMax: 1000,
  /**
   * Maximum number of requests to the data proxy for one HTML page. A folder needs its list and README; a file needs
   * its size and its first bytes.
   */
  dataRequestsPerPageMax: 2,
  /** Maximum number of files and folders on one HTML page. */
  folderPageMax: 200,
  /** A preview that reads fewer bytes than this opens together with its page. Many web pages load as many bytes. */
  openPreviewBytesMax: 2_000_000,
  cataloguePageMax: 24,
  /** Maximum size of the HTML rendered from one user text: a README, a table, a list, JSON-LD, or commands. */
  renderedTextBytesMax: 1_000_000,
  pageBytesMax: 5_000_000,
  /**
   * A README above either limit is shown as plain text, because the Markdown parser needs about 300 bytes per token.
   */
  markdownCharactersMax: 128 * 1024,
  markdownTokensMax: 50_000,
  /** A README paragraph above this length is shown as plain text. */
  markdownParagraphCharactersMax: 8 * 1024,
  /** Maximum number of versions that the selector of an HTML page offers, and that one page of their list shows. */
  versionsInSelectorMax: 50,
  versionsPageMax: 100,
  featuredRepositoriesMax: 12,
  featuredOrderMax: 999,
  logoBytesMax: 64 * 1024,
  /**
   * Maximum number of repositories in one file of a divided sitemap. The format allows 50,000, but each repository
   * takes up to 200 bytes.
   */
  sitemapPartSize: 10_000,
  /** Maximum number of repositories in a sitemap file, including those added after the sitemap was divided. */
  sitemapPartMax: 12_000,
  /** Number of buckets in one list. A list of this length always fits into a response of Lambda@Edge. */
  bucketsPageMax: 5000,
  revocationBatchMax: 1000,
  /** Maximum size of a batch. 1,000 key pairs as JSON are smaller. */
  revocationBatchBytesMax: 192 * 1024,
  /**
   * Maximum size of a report by GitHub's secret scanning program, which can send any number of matches in one report.
   */
  foundKeyReportBytesMax: 1024 * 1024,
  foundUrlBytesMax: 512,
  /** Maximum number of attempts to write one change while other changes conflict. Each attempt reads the data again. */
  changeTriesMax: 6,
  idempotencyStoredSeconds: daySeconds,
  /** Time for which an unfinished request reserves its idempotency key. API Gateway ends each request after 30 s. */
  idempotencyRunningSeconds: 60,

  /** Maximum number of open invitations from one account and its repositories to the same invited account. */
  openInvitationsToOneMax: 3,
  invitationsToOnePerDayMax: 3,
  invitationPauseAfterRejectionHours: 24,
  /**
   * Days after its creation in which an account counts as young. A young account can send a limited number of
   * invitations in 24 hours.
   */
  youngAccountDays: 7,
  invitationsOfYoungAccountPerDayMax: 20,
  openInvitationsOfScopeMax: 100,
  invitationLifeDays: 30,
  /** Days for which an invitation link is valid, and days for which lists show a link that was used or has expired. */
  invitationLinkLifeDays: 14,
  invitationLinkRetentionDays: 30,
  openInvitationLinksMax: 20,
  /** Maximum number of requests of one user per minute that name an invitation link. */
  invitationLinkUsesPerMinuteMax: 30,
  /**
   * Days for which the recipient can accept an offered repository, and days for which the API shows the result
   * afterwards.
   */
  transferOfferLifeDays: 14,
  closedTransferRetentionDays: 30,
  acceptedMembershipsMax: 1000,
  /**
   * Maximum number of organizations that a user can own when the user deletes the account. One transaction of at most
   * 100 items ends the ownerships.
   */
  ownedOrganizationsAtDeletionMax: 40,
  /** Days for which the API shows a revoked membership. The service then deletes it. */
  revokedMembershipRetentionDays: 400,
  blockedAccountsMax: 1000,

  /** Maximum number of active keys (neither revoked nor expired) of one account or one repository. */
  apiKeysMax: 200,
  /**
   * Maximum number of keys in a list. When a user adds a key to a full list, the service removes some of the oldest
   * revoked or expired keys.
   */
  keysOfListMax: 500,
  keysDroppedAtOnceMax: 20,
  /** Maximum number of keys of a service account that are not revoked. */
  serviceAccountKeysMax: 50,
  trustedWorkflowsMax: 100,
  /** Maximum number of trusted workflows with the same repository and origin but different conditions. */
  workflowAlternativesMax: 5,
  /** Maximum number of claims besides `sub` that a trusted workflow can require. */
  trustedClaimsMax: 8,
  grantsMax: 1000,
  /** Maximum number of repositories that the response about a leaked key lists. */
  leakedKeyRepositoriesMax: 100,
  /**
   * Maximum number of keys that an owner sees before a repository becomes federated-only. These are the keys that can
   * write. Then the maximum number of service accounts that the service examines to find these keys.
   */
  writingKeysShownMax: 500,
  writingServiceAccountsMax: 25,
  keyUseRecordedEverySeconds: 60,
  /** Days for which the service stores the last use of a key without expiry: five years. */
  keyUseRetentionDays: 5 * 365,

  sessionDurationDefaultSeconds: 3600,
  sessionDurationMinSeconds: 900,
  sessionDurationMaxSeconds: 43_200,
  /**
   * Maximum life of the credentials that a page of the site gets. The page renews its credentials before they expire.
   */
  pageSessionDurationMaxSeconds: 3600,
  dataCredentialsPerMinuteMax: 60,
  /**
   * Time between the creation of a new version of a rotating secret and its first use. All instances have read the new
   * version by then.
   */
  secretActivationSeconds: 600,
  /**
   * After a rotation, the old session key decrypts tokens for this time: 12 h, the longest life of a token, and 1 h as
   * a margin.
   */
  sessionKeyRetentionSeconds: 13 * 3600,
  /**
   * Maximum size of a session token. The token of a link contains its prefix, and JSON can double the size of the
   * prefix.
   */
  sessionTokenBytesMax: 4096,
  /** Maximum life of a link to private data, and maximum number of open links of one repository. */
  linkLifeDaysMax: 7,
  openLinksMax: 100,
  linkNoteLengthMax: 200,
  /** Days for which lists show an expired link. */
  linkRetentionDays: 7,
  linkCredentialsSeconds: 15 * 60,
  linkCredentialsPerMinuteMax: 60,
  /**
   * Maximum number of revoked links that a repository remembers, and time for which it remembers each link. No
   * credentials of a link live longer.
   */
  revokedLinksMax: 100,
  revokedLinkRetentionSeconds: 20 * 60,
  /**
   * Maximum number of ended keys and workflows that a service account remembers, and time for which it remembers each
   * of them. No session of a key or workflow lives longer.
   */
  endedSourcesMax: 150,
  endedSourceRetentionSeconds: 13 * 3600,
  ciTokenLeewaySeconds: 60,
  /**
   * Life of the access tokens with which users' tools sign in to read and write data. The tokens of the site live for
   * one hour.
   */
  dataTokenLifeSeconds: 70 * 60,
  siteTokenLifeSeconds: 3600,
  /** Time after which a user must sign in again. The exchange of refresh tokens does not extend it. */
  signedInSeconds: 12 * 3600,
  /**
   * The credential exchange refuses a user's token that expires sooner than this. Data credentials expire together
   * with the token.
   */
  userTokenLeftMinSeconds: 60,
  /**
   * TTL of the cached list of OIDC clients. Then its TTL while the service cannot read a new list, and the pause after
   * a failed read.
   */
  userClientsRefreshSeconds: 300,
  userClientsUsedInOutageSeconds: 24 * 3600,
  userClientsFailureRememberedSeconds: 10,
  /** Maximum size of a refused token's subject in responses and in the audit trail. */
  refusedSubjectBytesMax: 512,
  /**
   * Maximum number of different refused sign-ins that the audit trail of a service account records per hour. Further
   * refusals are only counted.
   */
  refusedSignInsPerHourMax: 20,
  /** Minimum time between two records of refused sign-ins with the same service account and the same cause. */
  refusedSignInRecordedEverySeconds: 60,
  refusedSignInRetentionDays: 30,
  /**
   * Maximum number of claims in the record of a refused sign-in, and maximum length of each value. The claims explain
   * the refusal.
   */
  refusedClaimsMax: 16,
  refusedClaimLengthMax: 512,
  /**
   * Maximum number of refused sign-ins that the service records per minute for all tokens of one repository owner at
   * one CI system. It includes the sign-ins to all roles.
   */
  refusedSignInsPerSourcePerMinuteMax: 60,
  /**
   * Minimum time between two records about one connection's storage: for failures, and for successes after a failure.
   */
  storageFaultRecordedEverySeconds: 5 * 60,
  storageSuccessRecordedEverySeconds: 3600,
  storageHealthRetentionDays: 30,
  /** Maximum number of records about storage that one instance of the data proxy writes in a minute. */
  storageReportsPerMinuteMax: 20,
  /** Maximum time for which the credential exchange waits for the record of a sign-in before it responds. */
  signInWriteMs: 500,
  /**
   * Days for which records of accepted sign-ins stay stored. The consumer of the table's stream reads a record up to
   * one day after the sign-in, so the record must exist longer.
   */
  signInRecordRetentionDays: 2,
  /**
   * Number of recorded sign-ins that a warm instance remembers, so that it does not write the same record twice in a
   * minute.
   */
  signInRecordsRememberedMax: 1000,
  stsBodyBytesMax: 64 * 1024,
  /**
   * Maximum number of exchanges per minute and IP address in one warm instance. The number is high, because CI runners
   * share IP addresses. A deployment can set another limit.
   */
  exchangesPerIpPerMinute: 1000,
  exchangesPerKeyPerMinute: 100,

  partnerKeysRefreshSeconds: 3600,
  partnerKeysCachedInOutageSeconds: daySeconds,
  partnerKeysFetchEverySeconds: 60,
  issuerFetchTimeoutMs: 2000,
  issuerFetchBytesMax: 256 * 1024,
  issuerUnknownKidFetchEverySeconds: 60,
  issuerKeysRefreshSeconds: 3600,
  issuerKeysCachedInOutageSeconds: daySeconds,
  issuerFailureRememberedSeconds: 10,
  /** TTL of the cached sign-in endpoints of the user issuer. The site's pages need them. */
  issuerEndpointsRefreshSeconds: 3600,
  issuerEndpointsUsedInOutageSeconds: daySeconds,

  registeredIssuersMax: 10,
  /**
   * Maximum number of attempts of one account per hour to register an issuer. Each attempt sends requests to a host
   * that the caller chooses.
   */
  issuerRegistrationsPerHourMax: 30,
  issuerBytesMax: 512,
  issuerKeysMax: 20,
  issuerKeyIdLengthMax: 256,
  /** Timeout of the fetch of the discovery document and the keys together. Then the maximum size of each document. */
  registeredIssuerFetchMs: 5000,
  registeredIssuerBytesMax: 64 * 1024,
  /** Time after the last successful fetch for which the keys of a registered issuer stay valid. */
  registeredKeysCountSeconds: daySeconds,
  /**
   * Days after a sign-in of a workload for which its issuer counts as used. The service fetches the keys of used and
   * unused issuers at different intervals.
   */
  issuerUsedDays: 30,
  usedIssuerFetchEverySeconds: 15 * 60,
  unusedIssuerFetchEverySeconds: 6 * 3600,
  /** Minimum time between a fetch of an issuer's keys and an extra fetch because a token names an unknown key ID. */
  issuerEarlyFetchEverySeconds: 5 * 60,
  /** Maximum number of an issuer's trusted workflows that the list of issuers counts. */
  countedTrustsMax: 100,
  /**
   * Maximum number of issuers that one scheduled run handles in each of the 16 shards. Even if all of these issuers
   * respond slowly, a run takes less than a minute.
   */
  issuersOfShardPerRunMax: 10,

  signatureFreshnessSeconds: 15 * 60,
  presignedLifeMaxSeconds: 604_800,
  /** TTL of cached authorization data for writes, copies, and credential exchanges. */
  writeAuthorizationTtlSeconds: 60,
  /** TTL of cached authorization data for reads of data that is not open. */
  readAuthorizationTtlSeconds: 300,
  /**
   * TTL of open data in CloudFront. The first value is the default, and the second is the maximum that a deployment can
   * set.
   */
  openDataCacheSeconds: 60,
  openDataCacheSecondsMax: 300,
  /** TTL of a 404 for an object. It is short because a client may write the object at any moment. */
  missingObjectCacheSeconds: 5,
  /**
   * Timeout of the Lambda functions for operations and pages. The data that a response shows is therefore never older
   * than this.
   */
  operationSecondsMax: 15,
  /**
   * TTL of the data behind lists of accounts or repositories. It is short, so that new accounts and repositories appear
   * soon.
   */
  listedNamesAgeMaxSeconds: 60,
  connectionCredentialsTtlSeconds: 300,
  /**
   * AWS limits the session of a role that another role assumed (role chaining) to one hour. The edge function assumes
   * roles in this way.
   */
  assumedRoleDurationSeconds: 3600,
  assumedRoleRenewedBeforeSeconds: 300,
  /** Life of a token with which the service assumes a role of a data connection. */
  storageTokenSeconds: 300,
  /** TTL of the public keys of the issuer for storage, in one instance. */
  identityKeysTtlSeconds: 3600,
  /**
   * TTL of the documents of the issuer for storage (discovery document and keys) in the caches of CloudFront and of AWS
   * STS.
   */
  identityDocumentMaxAgeSeconds: 900,
  assumedRoleFailureRememberedSeconds: 10,

  /**
   * After an error in a streamed response, the service checks the storage. Two of these limits are the TTLs of a result
   * without and with a fault. The third is the timeout of the check.
   */
  workingStorageTtlSeconds: 30,
  failingStorageTtlSeconds: 10,
  storageCheckMs: 2000,
  /** Age at which the service renews the signature of the check. S3 accepts a signature for 15 minutes. */
  storageCheckSignedEverySeconds: 300,
  storageErrorBytesMax: 64 * 1024,

  /** Days for which the record of a deleted repository stays stored, so that the cleanup can read it. */
  deletedRepositoryRecordDays: 30,
  auditRetentionDays: 400,
  expiredKeyRetentionDays: 400,
  edgeAnswerBytesMax: 1024 * 1024,
  /**
   * Maximum number of elements and comments in one XML document of a client. The largest valid document completes an
   * upload of 10,000 parts with checksums.
   */
  xmlElementsMax: 150_000,
  /**
   * Maximum number of elements and comments in one XML document of storage. The largest valid document is a list of
   * 1,000 keys, with up to 17 elements for each.
   */
  storageXmlElementsMax: 32_000,
  /**
   * Maximum length of one element's text before its entities are decoded. An object key has up to 1,024 bytes, and
   * each can take 10 characters.
   */
  xmlTextCharactersMax: 16 * 1024,
  /**
   * Maximum size of a request body that Lambda@Edge passes to the function. The function gets only the first part of a
   * larger body.
   */
  edgeBodyBytesMax: 1024 * 1024,

  /**
   * Maximum size of an object key. The limit applies to the client's key together with the repository ID, and to the
   * key that is sent to storage.
   */
  objectKeyBytesMax: 1024,
  /** Limits of S3. They explain a refusal to the caller when the response of storage contains only a status. */
  oneUploadBytesMax: 5 * 1024 ** 3,
  objectMetadataBytesMax: 2048,
  objectTagsMax: 10,
  objectTagKeyLengthMax: 128,
  objectTagValueLengthMax: 256,
  partNumberMax: 10_000,

  /** Maximum number of indexed words of one repository, and of indexed letters of one word. */
  searchWordsMax: 128,
  searchWordLettersMax: 32,
  searchTagsMax: 64,
  /**
   * Maximum number of indexed formats of one repository. Then the maximum length of a format, and the maximum number of
   * values that a search shows for a field.
   */
  searchFormatsMax: 16,
  searchFormatLengthMax: 16,
  facetValuesMax: 10,
  /** Maximum size of the image of a repository on cards. */
  coverBytesMax: 500_000,
  /** Maximum length of a search text, and the number of its words that the search uses. */
  searchTextLengthMax: 256,
  searchedWordsMax: 8,
  /**
   * Words of at least this length are also found if one letter is wrong, missing, or extra, or if two letters are
   * swapped.
   */
  misspeltWordLettersMin: 5,
  searchPageMax: 100,
  countedMatchesMax: 10_000,
  /**
   * Limits of the search for an account to invite: the minimum length of the text, and the maximum numbers of results
   * and of searches per minute.
   */
  searchedPrefixLengthMin: 3,
  foundAccountsMax: 10,
  accountSearchesPerMinuteMax: 30,
  /**
   * Maximum size of the list of connections in one bucket. The list is one item of the table, which has at most 400 KB.
   */
  storageBucketBytesMax: 300 * 1024,
  /** Maximum number of data connections of one account. */
  accountConnectionsMax: 20,
  /**
   * Time limits for storage that an account connected. The first limit is for the headers of one response, and the
   * second is for all responses that one request of a client needs. Slow storage of one account must not use up the
   * instances of the edge function.
   */
  accountStorageHeadersMs: 5000,
  accountStorageMs: 15_000,
  /** Maximum number of tests of data connections by one user per minute. */
  connectionTestsPerMinuteMax: 10,
  /**
   * Maximum number of requests of one account per day that register DOIs or update their metadata. A registered DOI can
   * never be deleted.
   */
  doiSubmissionsPerDayMax: 100,
  /** Maximum number of versions that one account creates in a day, in all its repositories. */
  newVersionsPerDayMax: 100,
  /** Maximum duration of a request to DataCite. A registration sends two of them within `operationSecondsMax`. */
  dataCiteRequestMs: 5000,
  dataCiteAnswerBytesMax: 64 * 1024,
  /** Maximum length of the reason of disabling an account or a repository, in characters. */
  disabledReasonLengthMax: 500,
  /** Maximum size of an error text of DataCite that a response of the service repeats. */
  dataCiteReasonBytesMax: 500,
  /** The window in which DataCite counts requests (support.datacite.org/docs/rate-limit). */
  dataCiteRateWindowSeconds: 300,
  connectionTestMs: 7000,
  connectionTestRequestMs: 3000,
  /**
   * Maximum number of letters of a display name in an index key, without case and accents. The removal of accents can
   * turn one letter into several.
   */
  placedNameLettersMax: 64,
  /**
   * Interval at which a warm instance reads the changes since the search index was built. Then the maximum age of its
   * data.
   */
  searchIndexRefreshSeconds: 10,
  searchIndexAgeMaxSeconds: 300,
  searchIndexFailureRememberedSeconds: 5,
  /**
   * Each read of changes also covers this many seconds of the previous read, because clocks differ and changes can
   * arrive late.
   */
  searchChangesOverlapSeconds: 60,
  searchChangeWriteMs: 10_000,
  /** Maximum number of changes since the last build of the index that an instance holds in memory. */
  searchChangesRetainedMax: 10_000,
  /**
   * Days for which changes stay stored. No reader uses an index for this long. The parts of an index stay stored much
   * longer, so that only unreferenced parts expire.
   */
  searchChangeRetentionDays: 3,
  searchIndexPartRetentionDays: 30,
  /**
   * The service rebuilds the search index after this many changes. It also rebuilds the index after this time if there
   * are changes, and after the longer time in any case.
   */
  searchChangesBeforeBuildMax: 500,
  searchIndexWithChangesMinutesMax: 60,
  searchIndexHoursMax: 24,
  /** Time in which owners can take back the deletion of a repository with versions. */
  repositoryDeletionDays: 7,
  /** Maximum number of versions of a repository, in every state. */
  versionsMax: 1000,
  /**
   * Limits of one version of a repository: its keys, and the stored object versions and unfinished uploads that the
   * freeze reads.
   */
  versionKeysMax: 10_000_000,
  versionStoredVersionsMax: 50_000_000,
  versionUploadsMax: 10_000,
  /** Number of keys in one page of a version's manifest. */
  manifestPageEntries: 1000,
  /** Maximum sizes of a page and of the index of a manifest, before compression. */
  manifestPageBytesMax: 8 * 1024 * 1024,
  manifestIndexBytesMax: 16 * 1024 * 1024,
  /** Maximum memory of a warm instance for indexes and pages of manifests. */
  manifestCacheBytes: 32 * 1024 * 1024,
  /** Maximum number of manifest pages that one list of a version reads. */
  versionListPagesMax: 50,
  /**
   * Limits of one comparison of two versions: the manifest pages that it reads, the length of the keys in them, and the
   * changed files that it lists.
   */
  comparedPagesMax: 64,
  comparedKeyCharactersMax: 12_000_000,
  comparedFilesMax: 1000,
  comparedNamesBytesMax: 512 * 1024,
  /**
   * Number of requests that a verification sends at the same time. Then the number of objects after which it saves its
   * position.
   */
  verificationRequestsAtOnce: 32,
  verificationObjectsPerSave: 10_000,
  /** Maximum number of missing and changed objects that the result of a verification names. */
  verificationProblemsMax: 100,
  /** Minimum time between the starts of two verifications of the same version. */
  verificationEverySeconds: 3600,
  /**
   * Number of listed pages after which a freeze saves its position. After a crash, the next run repeats at most this
   * many pages.
   */
  freezeListedPagesPerSave: 100,
  repositoryJobRequestMs: 30_000,
  /** Maximum number of due jobs that one run reads. It needs several, because other runs may have reserved some. */
  repositoryJobsListedPerRun: 100,
  /** Maximum duration of one run. It stays below the timeout of a Lambda function, which is 15 minutes. */
  repositoryJobRunSeconds: 600,
  /** Time for which a run reserves a job. It is longer than the longest run with its last request. */
  repositoryJobReservedSeconds: 780,
  /** Maximum number of runs without progress. The job then fails. The pause between two runs grows up to an hour. */
  repositoryJobAttemptsMax: 20,
  repositoryJobRetrySecondsMax: 3600,
  /** Days after which the job of a version fails, even if it makes progress. */
  versionJobDaysMax: 3,
  /** Maximum size of a list or an error that a freeze reads. */
  freezeListBytesMax: 8 * 1024 * 1024,
  /** Limits of an inventory: the listed keys and pages, the formats, the folders, and the size of the names of folders. */
  inventoryKeysMax: 1_000_000,
  /**
   * Maximum number of pages of lists. It is high, because some storage services return fewer than a thousand keys in a
   * page.
   */
  inventoryPagesMax: 10_000,
  inventoryFormatsMax: 50,
  inventoryFoldersMax: 1000,
  inventoryFolderNamesBytesMax: 64 * 1024,
  /**
   * Number of listed pages after which a walk saves its position. After a crash, the next run repeats at most this many
   * pages.
   */
  inventoryPagesPerSave: 100,
  /** Maximum number of attempts without progress. The walk then fails, and the next automatic walk tries again. */
  inventoryAttemptsMax: 4,
  /** Time between two automatic walks. It doubles while walks find no change. */
  inventoryIntervalSecondsMin: 6 * 3600,
  inventoryIntervalSecondsMax: 7 * 24 * 3600,
  /** Minimum time between two requests for a walk of one repository. */
  inventoryRequestSeconds: 300,
  /** Maximum number of requests for walks of one account in an hour. Each walk lists up to a million keys. */
  inventoryRequestsPerHourMax: 100,
  /**
   * Time from the deletion of a repository to the deletion of its files. After this time, the service refuses all
   * writers of the repository.
   */
  fileDeletionDelaySeconds: 60,
  /** Maximum number of deletions of files that one account has in progress. */
  fileDeletionsMax: 10,
  /** Days for which the record of an ended deletion is stored. */
  fileDeletionRecordDays: 90,
} as const;
