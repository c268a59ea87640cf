# Any service, from the jar that 'mvn -q -B package -DskipTests' built: docker build --build-arg MODULE=gateway-servlet .
FROM eclipse-temurin:25-jre AS jar
ARG MODULE
COPY ${MODULE}/target/${MODULE}.jar /service.jar
RUN java -Djarmode=tools -jar /service.jar extract --destination /app

FROM eclipse-temurin:25-jre
COPY docker/ready docker/jvm /app/
COPY --from=jar --chown=65534:65534 /app /app
RUN chown 65534:65534 /app
USER 65534:65534
WORKDIR /app
# The JVM's cache of what a start loads and links, by a start that ends as soon as the application is wired and reaches
# nothing. It is used with this image's JVM and any collector but ZGC; the last line fails if the JVM cannot use it.
RUN java -XX:+UseG1GC @jvm -XX:+UnlockDiagnosticVMOptions -XX:-AOTRecordTraining -XX:AOTCacheOutput=/app/service.aot \
      -Dspring.context.exit=onRefresh -Dsluice.warm-up=0s -Dserver.port=0 -Dspring.grpc.server.port=0 \
      -Dspring.datasource.url=jdbc:postgresql://127.0.0.1:1/none -Dspring.r2dbc.url=r2dbc:postgresql://127.0.0.1:1/none \
      -Dspring.kafka.bootstrap-servers=127.0.0.1:1 -Dbackend.url=http://127.0.0.1:1 -jar /app/service.jar \
 && java -XX:+UseG1GC @jvm -XX:AOTCache=/app/service.aot -XX:AOTMode=on -cp /app/service.jar -version
# Nothing outside the container reaches its loopback interface.
ENV SERVER_ADDRESS=0.0.0.0
ENTRYPOINT ["java", "@/app/jvm", "-XX:AOTCache=/app/service.aot", "-jar", "/app/service.jar"]
