"""Parts that several GraphQL documents share."""

from __future__ import annotations

ACTOR = """
fragment actor on Actor {
  __typename
  login
  ... on User { databaseId }
  ... on Bot { databaseId }
  ... on Mannequin { databaseId }
  ... on Organization { databaseId }
}
"""

PAGE = "pageInfo { hasNextPage endCursor hasPreviousPage startCursor }"

COMMENT = """
fragment comment on IssueComment {
  id
  fullDatabaseId
  author { ...actor }
  body
  createdAt
  lastEditedAt
  isMinimized
  viewerDidAuthor
}
"""

REVIEW = """
fragment review on PullRequestReview {
  id
  fullDatabaseId
  state
  body
  submittedAt
  updatedAt
  lastEditedAt
  commit { oid }
  author { ...actor }
  authorCanPushToRepository
  authorAssociation
}
"""

COMMIT = """
fragment identity on GitActor {
  email
  name
  user { login databaseId }
}
fragment commit on Commit {
  oid
  message
  author { ...identity }
  committer { ...identity }
  signature { isValid state signer { login databaseId } wasSignedByGitHub }
  parents(first: 10) { totalCount nodes { oid } }
}
"""

CHECK_RUN = """
fragment checkRun on CheckRun {
  id
  databaseId
  name
  status
  conclusion
  externalId
  title
  startedAt
  completedAt
  detailsUrl
}
"""

# LATEST: the newest run of each name in a suite, which is what GitHub itself judges by. The jobs of older attempts
# and same-named ones come from REST (`filter=all`).
SUITE = f"""
fragment suite on CheckSuite {{
  id
  databaseId
  app {{ databaseId slug }}
  status
  conclusion
  updatedAt
  workflowRun {{ databaseId event runNumber updatedAt file {{ path }} workflow {{ databaseId name }} }}
  checkRuns(first: 50, filterBy: {{checkType: LATEST}}) {{ totalCount nodes {{ ...checkRun }} {PAGE} }}
}}
"""

HEAD = f"""
fragment head on Commit {{
  oid
  tree {{ oid }}
  parents(first: 10) {{ totalCount nodes {{ oid }} }}
  committedDate
  workflows: file(path: ".github/workflows") {{
    oid
    mode
    type
    object {{ ... on Tree {{ oid entries {{ name oid mode type }} }} }}
  }}
  actions: file(path: ".github/actions") {{ oid type }}
  checkSuites(first: 50) {{ totalCount nodes {{ ...suite }} {PAGE} }}
}}
"""

TARGET = """
fragment target on Commit {
  oid
  tree { oid }
  policy: file(path: ".github/mergegate.yml") {
    oid
    mode
    type
    object { ... on Blob { oid text byteSize isTruncated isBinary } }
  }
  workflows: file(path: ".github/workflows") {
    oid
    mode
    type
    object {
      ... on Tree {
        oid
        entries { name oid mode type object { ... on Blob { oid text byteSize isTruncated isBinary } } }
      }
    }
  }
  actions: file(path: ".github/actions") { oid type }
}
"""

ENTRY = """
fragment entry on MergeQueueEntry {
  id
  position
  state
  enqueuedAt
  enqueuer { ...actor }
  headCommit { oid }
  baseCommit { oid }
}
"""
