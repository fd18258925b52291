const spec = process.env.SPEC;

const launcher = (name) => ({
  base: 'ChromeHeadless',
  displayName: name,
  flags: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});

module.exports = (config) =>
  config.set({
    frameworks: [process.env.FRAMEWORK || 'jasmine'],
    files: spec.split(','),
    browsers: (process.env.BROWSER || 'Chromium').split(','),
    customLaunchers: { Chromium: launcher('Chromium'), Second: launcher('Second') },
    reporters: [process.env.REPORTER || 'progress', 'junit'],
    junitReporter: { outputDir: 'reports', outputFile: 'report.xml' },
    browserNoActivityTimeout: 3000,
    client: { jasmine: { random: false } },
    singleRun: true,
  });
