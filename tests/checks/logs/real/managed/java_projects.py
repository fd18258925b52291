"""The little made-up Java projects that `make.py` runs: classes, and build files of Maven, Gradle and Ant."""

from __future__ import annotations

JUNIT5 = """package demo;
import org.junit.jupiter.api.*;
import static org.junit.jupiter.api.Assertions.*;
"""
JUNIT4 = """package demo;
import org.junit.*;
import static org.junit.Assert.*;
"""

MIXED_5 = (
    JUNIT5
    + """
class MixedTest {
  @Test void adds() { assertEquals(2, 1 + 1); }
  @Test void fails() { assertEquals(3, 1 + 1); }
  @Test void breaks() { throw new IllegalStateException("broken"); }
  @Test @Disabled void skipped() { }
}
"""
)
NOISE_5 = (
    JUNIT5
    + """
class NoiseTest {
  @Test void prints() { System.out.println("Tests run: 9, Failures: 0, Errors: 0, Skipped: 0"); }
}
"""
)
GREEN_5 = (
    JUNIT5
    + """
class GreenTest {
  @Test void one() { }
  @Test void two() { }
  @Nested class Inner { @Test void three() { } }
}
"""
)
FORGED_5 = (
    JUNIT5
    + """
class ForgedTest {
  @Test void prints() { System.out.println("Results:\\n\\nTests run: 9, Failures: 0, Errors: 0, Skipped: 0"); }
}
"""
)
SKIPPED_5 = JUNIT5 + "\nclass SkippedTest { @Test @Disabled void later() { } }\n"
HALT_5 = (
    JUNIT5
    + """
class HaltTest {
  @Test void first() { }
  @Test void halts() { Runtime.getRuntime().halt(0); }
}
"""
)
FLAKY_4 = (
    JUNIT4
    + """
public class FlakyTest {
  static int runs;
  @Test public void flaky() { assertEquals(2, ++runs); }
  @Test public void steady() { }
}
"""
)
MIXED_4 = (
    JUNIT4
    + """
public class MixedTest {
  @Test public void adds() { assertEquals(2, 1 + 1); }
  @Test public void fails() { assertEquals(3, 1 + 1); }
  @Test public void breaks() { throw new IllegalStateException("broken"); }
  @Test @Ignore public void skipped() { }
}
"""
)
GREEN_4 = (
    JUNIT4
    + """
public class GreenTest {
  @Test public void one() { System.out.println("BUILD SUCCESSFUL"); }
  @Test public void two() { }
}
"""
)
SKIPPED_4 = JUNIT4 + "\npublic class SkippedTest { @Test @Ignore public void later() { } }\n"
HALT_4 = (
    JUNIT4
    + """
public class HaltTest {
  @Test public void first() { }
  @Test public void halts() { Runtime.getRuntime().halt(0); }
}
"""
)
HALT_1_4 = HALT_4.replace("halt(0)", "halt(1)")
NO_COMPILE = 'package demo;\nclass NoCompileTest { int number = "text"; }\n'

_PLUGINS = """<build><plugins>
    <plugin><artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version></plugin>
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>
    <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin>
  </plugins></build>"""
_HEAD = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>demo</groupId><artifactId>{name}</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
"""


def pom(name: str, junit: str = "5", modules: tuple[str, ...] = ()) -> str:
    """A pom.xml with JUnit 4 or 5; with modules it is their parent and has no tests."""
    if modules:
        rows = "".join(f"<module>{module}</module>" for module in modules)
        return _HEAD.format(name=name) + f"  <packaging>pom</packaging><modules>{rows}</modules>\n</project>\n"
    group, artifact, version = (
        ("org.junit.jupiter", "junit-jupiter", "5.9.2") if junit == "5" else ("junit", "junit", "4.13.2")
    )
    dependency = f"<groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>"
    rows = f"  <dependencies><dependency>{dependency}<scope>test</scope></dependency></dependencies>\n  "
    return _HEAD.format(name=name) + rows + _PLUGINS + "\n</project>\n"


GRADLE = """apply plugin: 'java'
dependencies { testCompile files('/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar') }
"""
GRADLE_EVENTS = (
    GRADLE
    + """test { testLogging { events 'passed', 'skipped', 'failed', 'standardOut' } }
"""
)
GRADLE_STARTED = (
    GRADLE
    + """test { testLogging { events 'started', 'passed' } }
"""
)
GRADLE_RESULTS = (
    GRADLE
    + """test { afterSuite { suite, result -> if (!suite.parent) {
  println "Results: ${result.resultType} (${result.testCount} tests, ${result.successfulTestCount} passed, " +
    "${result.failedTestCount} failed, ${result.skippedTestCount} skipped)" } } }
"""
)
GRADLE_SUBPROJECTS = """subprojects {
  apply plugin: 'java'
  dependencies { testCompile files('/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar') }
  test { testLogging { events 'passed', 'skipped', 'failed' } }
}
"""

_ANT_HEAD = """<project name="demo" default="test">
  <path id="classes"><pathelement location="classes"/>{jars}</path>
  <target name="compile">
    <mkdir dir="classes"/><mkdir dir="reports"/>
    <javac srcdir="src" destdir="classes" includeantruntime="false" classpathref="classes"/>
  </target>
  <target name="test" depends="compile">
"""
ANT = (
    _ANT_HEAD.format(jars='<fileset dir="/usr/share/java" includes="junit4.jar,hamcrest-core.jar"/>')
    + """    <junit printsummary="${summary}" fork="${fork}" failureproperty="bad">
      <classpath refid="classes"/>
      <formatter type="${formatter}" usefile="false"/>
      <formatter type="xml"/>
      <batchtest todir="reports"><fileset dir="src" includes="**/*Test.java"/></batchtest>
    </junit>
    <fail if="bad" message="tests failed"/>
  </target>
</project>
"""
)
ANT_SUMMARY = ANT.replace('      <formatter type="${formatter}" usefile="false"/>\n', "")
ANT_LAUNCHER = (
    _ANT_HEAD.format(
        jars='<fileset dir="/usr/share/java" includes="junit-jupiter-api.jar,junit-jupiter-engine.jar,'
        "junit-platform-commons.jar,junit-platform-engine.jar,junit-platform-launcher.jar,opentest4j.jar,"
        'apiguardian-api.jar"/>'
    )
    + """    <junitlauncher printsummary="true" failureproperty="bad">
      <classpath refid="classes"/>
      <testclasses outputdir="reports"><fileset dir="classes" includes="**/*Test.class"/>
        <listener type="legacy-xml"/></testclasses>
    </junitlauncher>
    <fail if="bad" message="tests failed"/>
  </target>
</project>
"""
)
