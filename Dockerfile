# Any service, from the jar that 'mvn -q -B package -DskipTests' built: docker build --build-arg MODULE=gateway-servlet .
FROM eclipse-temurin:25-jre
ARG MODULE
COPY docker/ready /app/
COPY --chown=65534:65534 ${MODULE}/target/${MODULE}.jar /app/service.jar
USER 65534:65534
WORKDIR /app
# Nothing outside the container reaches its loopback interface.
ENV SERVER_ADDRESS=0.0.0.0
ENTRYPOINT ["java", "-jar", "/app/service.jar"]
