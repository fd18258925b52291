"""The GraphQL documents. Each is validated against GitHub's SDL in the tests; source of the fields:
https://docs.github.com/graphql/reference.

First pages only: `graph` follows a connection with the `more` documents when `totalCount` says that more is there.
Commits, reviews, comments and queue entries of one pull request cost one point in the first read.
"""

from __future__ import annotations

from app.github.fragments import ACTOR, CHECK_RUN, COMMENT, COMMIT, ENTRY, HEAD, PAGE, REVIEW, SUITE, TARGET

PULL_STATE = (
    f"""
query PullState($owner: String!, $name: String!, $number: Int!) {{
  rateLimit {{ cost remaining resetAt }}
  repository(owner: $owner, name: $name) {{
    id
    databaseId
    nameWithOwner
    isPrivate
    isArchived
    mergeCommitAllowed
    mergeCommitMessage
    squashMergeAllowed
    squashMergeCommitMessage
    defaultBranchRef {{ name target {{ oid }} }}
    pullRequest(number: $number) {{
      id
      fullDatabaseId
      number
      state
      isDraft
      title
      body
      url
      createdAt
      updatedAt
      lastEditedAt
      author {{ ...actor }}
      headRefOid
      headRefName
      headRepository {{ databaseId nameWithOwner }}
      isCrossRepository
      baseRefName
      baseRefOid
      baseRef {{ name target {{ ... on Commit {{ ...target }} }} }}
      changedFiles
      additions
      deletions
      mergeable
      mergeStateStatus
      mergedAt
      mergedBy {{ ...actor }}
      mergeCommit {{ oid tree {{ oid }} parents(first: 10) {{ totalCount nodes {{ oid }} }} }}
      labels(first: 100) {{ totalCount nodes {{ name }} }}
      comments(last: 50) {{ totalCount nodes {{ ...comment }} {PAGE} }}
      commits(first: 100) {{ totalCount nodes {{ commit {{ ...commit }} }} {PAGE} }}
      head: commits(last: 1) {{ totalCount nodes {{ commit {{ ...head }} }} }}
      reviews(last: 100) {{ totalCount nodes {{ ...review }} {PAGE} }}
      baseChanges: timelineItems(itemTypes: [BASE_REF_CHANGED_EVENT], last: 1) {{
        nodes {{ ... on BaseRefChangedEvent {{ createdAt }} }}
      }}
      queueRemovals: timelineItems(itemTypes: [REMOVED_FROM_MERGE_QUEUE_EVENT], last: 1) {{
        nodes {{ ... on RemovedFromMergeQueueEvent {{ createdAt reason beforeCommit {{ oid }} }} }}
      }}
      mergeQueue {{ id }}
      mergeQueueEntry {{ ...entry }}
      autoMergeRequest {{ enabledAt enabledBy {{ ...actor }} }}
      reviewRequests(first: 100) {{
        totalCount
        nodes {{
          requestedReviewer {{
            __typename
            ... on User {{ login databaseId }}
            ... on Bot {{ login databaseId }}
            ... on Mannequin {{ login databaseId }}
            ... on Team {{ slug databaseId }}
          }}
        }}
      }}
    }}
  }}
}}
"""
    + ACTOR
    + COMMENT
    + REVIEW
    + COMMIT
    + CHECK_RUN
    + SUITE
    + HEAD
    + TARGET
    + ENTRY
)

PULL_HEAD = (
    """
query PullHead($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      id
      number
      state
      isDraft
      updatedAt
      lastEditedAt
      headRefOid
      baseRefName
      baseRefOid
      baseRef { name target { oid } }
      mergeable
      mergeStateStatus
      reviews(last: 100) { totalCount nodes { fullDatabaseId state updatedAt commit { oid } } }
      mergeQueueEntry { ...entry }
    }
  }
}
"""
    + ACTOR
    + ENTRY
)

MORE_COMMITS = (
    f"""
query MoreCommits($pull: ID!, $cursor: String!) {{
  node(id: $pull) {{
    ... on PullRequest {{
      page: commits(first: 100, after: $cursor) {{ totalCount nodes {{ commit {{ ...commit }} }} {PAGE} }}
    }}
  }}
}}
"""
    + COMMIT
)

MORE_REVIEWS = (
    f"""
query MoreReviews($pull: ID!, $cursor: String!) {{
  node(id: $pull) {{
    ... on PullRequest {{ page: reviews(last: 100, before: $cursor) {{ totalCount nodes {{ ...review }} {PAGE} }} }}
  }}
}}
"""
    + ACTOR
    + REVIEW
)

MORE_COMMENTS = (
    f"""
query MoreComments($pull: ID!, $cursor: String!) {{
  node(id: $pull) {{
    ... on PullRequest {{ page: comments(last: 100, before: $cursor) {{ totalCount nodes {{ ...comment }} {PAGE} }} }}
  }}
}}
"""
    + ACTOR
    + COMMENT
)

MORE_SUITES = (
    f"""
query MoreSuites($owner: String!, $name: String!, $sha: GitObjectID!, $cursor: String!) {{
  repository(owner: $owner, name: $name) {{
    object(oid: $sha) {{
      ... on Commit {{
        page: checkSuites(first: 50, after: $cursor) {{ totalCount nodes {{ ...suite }} {PAGE} }}
      }}
    }}
  }}
}}
"""
    + CHECK_RUN
    + SUITE
)

MORE_CHECK_RUNS = (
    f"""
query MoreCheckRuns($suite: ID!, $cursor: String!) {{
  node(id: $suite) {{
    ... on CheckSuite {{
      page: checkRuns(first: 100, after: $cursor, filterBy: {{checkType: LATEST}}) {{
        totalCount
        nodes {{ ...checkRun }}
        {PAGE}
      }}
    }}
  }}
}}
"""
    + CHECK_RUN
)

COMMIT_STATE = (
    """
query CommitState($owner: String!, $name: String!, $sha: GitObjectID!) {
  repository(owner: $owner, name: $name) {
    object(oid: $sha) { ... on Commit { ...head } }
  }
}
"""
    + CHECK_RUN
    + SUITE
    + HEAD
)

BRANCH_TIP = (
    """
query BranchTip($owner: String!, $name: String!, $ref: String!) {
  repository(owner: $owner, name: $name) {
    ref(qualifiedName: $ref) { name target { ... on Commit { ...target } } }
  }
}
"""
    + TARGET
)

CODEOWNERS = """
query Codeowners($owner: String!, $name: String!, $ref: String!) {
  repository(owner: $owner, name: $name) {
    codeowners(refName: $ref) { errors { line column kind source path } }
  }
}
"""

QUEUE_ENTRIES = (
    f"""
query QueueEntries($owner: String!, $name: String!, $branch: String!, $cursor: String) {{
  repository(owner: $owner, name: $name) {{
    mergeQueue(branch: $branch) {{
      id
      entries(first: 100, after: $cursor) {{
        totalCount
        nodes {{
          ...entry
          pullRequest {{ id number state headRefOid baseRefName author {{ ...actor }} }}
        }}
        {PAGE}
      }}
    }}
  }}
}}
"""
    + ACTOR
    + ENTRY
)

# Two points a page of a hundred: 1 + 100 + 100 lists.
OPEN_PULLS = f"""
query OpenPulls($owner: String!, $name: String!, $cursor: String) {{
  repository(owner: $owner, name: $name) {{
    pullRequests(states: [OPEN], first: 100, after: $cursor, orderBy: {{field: CREATED_AT, direction: ASC}}) {{
      totalCount
      nodes {{
        id number headRefOid headRefName baseRefName isDraft isCrossRepository updatedAt
        baseRef {{ name target {{ oid }} }}
        mergeQueueEntry {{ headCommit {{ oid }} }}
        head: commits(last: 1) {{
          totalCount
          nodes {{
            commit {{
              oid
              checkSuites(last: 30) {{ totalCount nodes {{ app {{ databaseId slug }} updatedAt }} }}
            }}
          }}
        }}
      }}
      {PAGE}
    }}
  }}
}}
"""

ENQUEUE = (
    """
mutation Enqueue($pull: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: {pullRequestId: $pull, expectedHeadOid: $head}) {
    mergeQueueEntry { ...entry }
  }
}
"""
    + ACTOR
    + ENTRY
)

PIN = """
mutation Pin($issue: ID!) {
  pinIssue(input: {issueId: $issue}) { issue { isPinned } }
}
"""

DEQUEUE = """
mutation Dequeue($pull: ID!) {
  dequeuePullRequest(input: {id: $pull}) { mergeQueueEntry { id } }
}
"""

POSTED_CHECKS = """
query PostedChecks($owner: String!, $name: String!, $branch: String!) {
  repository(owner: $owner, name: $name) {
    defaultBranchRef { target { ...posted } }
    pullRequests(baseRefName: $branch, last: 10) {
      totalCount
      nodes { commits(last: 1) { totalCount nodes { commit { ...posted } } } }
    }
  }
}
fragment posted on Commit {
  statusCheckRollup {
    contexts(first: 100) {
      totalCount
      nodes {
        ... on CheckRun { name checkSuite { app { databaseId } } }
        ... on StatusContext { context }
      }
    }
  }
}
"""
